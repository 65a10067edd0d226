import { tryNfsMounts, type MasterInput, type TryNfsMountsInput } from '@windlass/driver-kit';
import { FakeVims, hookContextOf, INSTANCE, packagesOf, PlanRunner, ScriptBench, vnfc } from '@windlass/driver-kit/testing';
import { FakeHosts, type FakeReply } from '@windlass/mgmt-driver/testing';
import { stepOf } from '@windlass/saga';
import { afterEach, describe, expect, it } from 'vitest';
import { boundActions } from '../actions.js';
import { manifest, SERVER } from '../testing/volume-bench.js';
import { TRY_NFS_MOUNTS } from './scripts.js';

describe('a node that tries what is to be registered', () => {
  let node: ScriptBench;
  afterEach(() => node.remove());

  const machine = (uidMap: string, showmount = '', mount = ''): ScriptBench =>
    new ScriptBench()
      .programs('umount', 'rpcinfo')
      .program('showmount', showmount)
      .program('mount', mount)
      .program('ls')
      .file('proc/self/uid_map', uidMap);
  const REAL = '         0          0 4294967295\n';
  const MAPPED = '         0     100000      65536\n';
  /** Standard input is a file here. */
  const trying = (input = `${SERVER}\t/volume/nfs/pv1\n`) =>
    node.file('input', input).run(`exec < "$1"\n${TRY_NFS_MOUNTS}`, [node.at('input')]);

  it('mounts each, read-only and for a moment, with an address of IPv6 in brackets', async () => {
    node = machine(REAL);
    expect(await trying(`${SERVER}\t/volume/nfs/pv1\nfd00::1\t/volume/my own\n`)).toMatchObject({
      status: 0,
      stdout: 'mounted\n',
      stderr: '',
    });
    const options = 'ro,soft,nolock,timeo=50,retrans=1,retry=0';
    expect(node.calls).toEqual([
      `mount -t nfs -o ${options} ${SERVER}:/volume/nfs/pv1 /mnt`,
      'ls -A /mnt',
      'umount --lazy /mnt',
      `mount -t nfs -o ${options} [fd00::1]:/volume/my own /mnt`,
      'ls -A /mnt',
      'umount --lazy /mnt',
    ]);
  });

  it('says what mount said, and tries no other then', async () => {
    node = machine(REAL, '', 'echo "mount.nfs: access denied by server" >&2; exit 32');
    const { status, stderr } = await trying(`${SERVER}\t/a\n${SERVER}\t/b\n`);
    expect([status, stderr]).toEqual([
      1,
      `mount.nfs: access denied by server\nmount -t nfs ${SERVER}:/a ended with status 32 (above; 124: no answer in 20 s)\n`,
    ]);
  });

  it('asks what is exported to it where its root is one of a user namespace, and mounts nothing', async () => {
    node = machine(MAPPED, `echo '/volume/nfs/pv1 10.10.0.0/24'; echo '/all (everyone)'`);
    expect(await trying(`${SERVER}\t/volume/nfs/pv1\n${SERVER}\t/all/inner\n`)).toMatchObject({ status: 0, stdout: 'asked\n' });
    expect(node.calls).toEqual([`rpcinfo -T tcp ${SERVER} 100003 3`, `showmount --no-headers --exports ${SERVER}`]);
    expect(await trying(`${SERVER}\t/volume/nfs/pv10\n`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('does not export /volume/nfs/pv10 to this machine: it says /volume/nfs/pv1') as string,
    });
  });

  it('takes nothing to try for nothing tried', async () => {
    node = machine(REAL);
    expect(await trying('')).toMatchObject({ status: 1, stdout: '' });
  });

  it('there says so where nobody answers', async () => {
    node = machine(MAPPED).program('rpcinfo', 'exit 1');
    expect(await trying()).toMatchObject({ status: 1, stderr: expect.stringContaining('answers no NFS') as string });
  });
});

describe('the try of what is to be registered', () => {
  const node = (id: string, address: string): MasterInput => ({
    name: id,
    address,
    vnfc: vnfc(id, 'cp', address),
    sshCp: 'cp',
    username: 'ubuntu',
    password: 'ubuntu',
  });
  const files = { 'a.yaml': `${manifest('pv1')}---\n${manifest('pv2')}`, 'b.yaml': manifest('pv3').replace('/pv3', '/pv1') };

  /** By two nodes, which reply so. */
  function bench(reply: FakeReply) {
    const tried: (readonly [string, string])[] = [];
    const hosts = new FakeHosts().on(/^unshare --mount --propagation private \/bin\/bash -c /, ({ machine, input }) => {
      tried.push([machine.resourceId, input]);
      return reply;
    });
    const input: TryNfsMountsInput = {
      instance: INSTANCE,
      nodes: [node('a', '10.10.0.31'), node('b', '10.10.0.24')],
      manifests: Object.keys(files).map((path) => ({
        file: { vnfPkgId: 'package', path, size: 1, sha256: 'ab'.repeat(32) },
        server: SERVER,
      })),
    };
    const actions = boundActions({ hosts, vims: new FakeVims(() => INSTANCE), packages: packagesOf(files) });
    const plan = { root: stepOf(tryNfsMounts, { id: 'try', input, traits: { contributes: true } }) };
    return { hosts, tried, runner: new PlanRunner(plan, { actions, hook: hookContextOf(), params: {} }) };
  }

  it('is done by one node, of each place once', async () => {
    const { tried, runner } = bench({ stdout: 'mounted\n' });
    await runner.run();
    expect(runner.outputs.get('try')).toEqual({});
    expect(tried).toEqual([['server-a', `${SERVER}\t/volume/nfs/pv1\n${SERVER}\t/volume/nfs/pv2\n`]]);
  });

  it('is done by another, where the first is dead', async () => {
    const { hosts, tried, runner } = bench({ stdout: 'mounted\n' });
    hosts.machine('server-a').unreachable = true;
    await runner.run();
    expect(tried.map(([server]) => server)).toEqual(['server-b']);
  });

  it('says in the operation that nothing was mounted, where nothing could be', async () => {
    const { runner } = bench({ stdout: 'asked\n' });
    await runner.run();
    expect(runner.outputs.get('try')).toEqual({
      notes: [expect.stringMatching(/no PersistentVolume was mounted for a try: .* 10\.10\.0\.31 /) as string],
    });
  });

  it('fails with the node and what it said, where one can’t be mounted', async () => {
    const { runner } = bench({ status: 1, stderr: 'mount.nfs: access denied by server\nmount -t nfs ended with status 32\n' });
    await expect(runner.performOnce('try')).rejects.toMatchObject({
      code: 'volumes.not-mountable',
      message: expect.stringMatching(/the node 10\.10\.0\.31 can't mount .*: mount\.nfs: access denied/) as string,
    });
  });
});
