import { createHash, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { installNfsClient, setUpStorage, tryNfsMounts, type SetUpStorageInput } from '@windlass/driver-kit';
import { FakeVims, hookContextOf, INSTANCE, packagesOf, PlanRunner, vnfc } from '@windlass/driver-kit/testing';
import { toJson, type JsonObject } from '@windlass/foundation';
import { HostFleet, installHostPackages, sharedCache } from '@windlass/lab';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import type { ActionContract, StepNode } from '@windlass/saga';
import { storageParts } from '@windlass/storage-mgmt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rigFolder } from '../support/rig-folder.js';
import { commandsOf } from '../support/guide-shell.js';

const DATA = { volumeId: '5b1f0c1e-9d3e-4f0a-8a57-2d5f7c9e1a01', device: '/dev/vdb', sizeGiB: 1 };

interface Server {
  serverId: string;
  address: string;
}

let fleet: HostFleet;
let hosts: RemoteHosts;
let dataDir: string;
let runs = 0;

const boot = async (n: number, volumes: { volumeId: string; device: string; sizeGiB: number }[] = []): Promise<Server> => {
  const address = fleet.network.gateway.replace(/\d+$/, String(20 + n));
  const serverId = `server-vm-${n}`;
  const nics = [{ mac: `fa:16:3e:00:03:${20 + n}`, address, prefixLength: 24, allowedAddresses: [] }];
  await fleet.boot({ serverId, name: `vm-${n}`, imageName: 'debian-12', nics, volumes });
  await fleet.ready(serverId);
  return { serverId, address };
};

const machineOf = ({ serverId, address }: Server) => ({
  name: serverId.replace('server-', ''),
  vnfc: vnfc(serverId.replace('server-', ''), 'cp', address),
  sshCp: 'cp',
  username: 'ubuntu',
  password: 'ubuntu',
});

/** Prints what shell text prints as root of a VM. */
const on = async ({ serverId }: Server, text: string): Promise<string> => {
  const { status, stdout, stderr } = await fleet.exec(serverId, ['bash', '-ec', text]);
  if (status !== 0) throw new Error(`${serverId}: ${text}: exit status ${String(status)}: ${stdout}${stderr}`);
  return stdout.trim();
};

const runnerOf = <Input>(action: ActionContract<Input>, server: Server, more: object): PlanRunner =>
  runnerWith(action, { machine: machineOf(server), ...more });

/** @param files of the package */
function runnerWith<Input>(action: ActionContract<Input>, given: object, files: Record<string, string> = {}): PlanRunner {
  runs += 1;
  const input = toJson({ instance: INSTANCE, ...given }) as JsonObject;
  const step: StepNode = {
    kind: 'step',
    id: `${action.name}:${runs}`,
    action: action.name,
    version: action.version,
    service: action.service,
    input,
  };
  const actions = storageParts.actions({ hosts, vims: new FakeVims(() => INSTANCE), packages: packagesOf(files) });
  return new PlanRunner(
    { root: step },
    {
      actions,
      hook: hookContextOf({ operationId: randomUUID() }),
      params: {},
      onProgress: (id, line) => void process.stderr.write(`${id}: ${line}\n`),
    },
  );
}

const storage = (mountTo = '/volume'): Pick<SetUpStorageInput, 'volumes' | 'exports'> => ({
  volumes: [{ volumeId: DATA.volumeId, device: '/dev/vdb', mountTo }],
  exports: [
    { directory: '/volume/nfs/pv1', to: fleet.network.cidr },
    { directory: '/volume/nfs/pv2', to: fleet.network.cidr },
  ],
});

const setUp = async (server: Server, more: object = storage()): Promise<unknown> => {
  const runner = runnerOf(setUpStorage, server, more);
  await runner.run();
  return [...runner.outputs.values()][0];
};

const isDone = async (server: Server): Promise<boolean> => {
  const runner = runnerOf(setUpStorage, server, storage());
  const id = runner.steps[0]!.id;
  return Boolean(await runner.action(id).check?.(runner.runOf(id)));
};

let server: Server;
/** Who exports after the first. */
let successor: Server;

beforeAll(async () => {
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  await installHostPackages(log);
  dataDir = await rigFolder('windlass-storage-');
  fleet = await HostFleet.start({ dataDir, cacheDir: sharedCache(), log, standins: [] });
  hosts = new RemoteHosts({ hostKeys: new MemoryHostKeys() });
  server = await boot(1, [DATA]);
});
afterAll(async () => {
  hosts.close();
  await fleet.stop();
  await rm(dataDir, { recursive: true });
});

const CONTENT = randomUUID().repeat(4_096);
const HASH = createHash('sha256').update(CONTENT).digest('hex');
const hashOn = (of: Server): Promise<string> => on(of, 'sha256sum /volume/nfs/pv1/data | cut -c 1-64');

test('an empty volume becomes ext4, mounted by its UUID, and its directories are exported', async () => {
  expect(await setUp(server)).toEqual({ notes: [expect.stringContaining('nfs-ganesha') as string] });
  const uuid = await on(server, 'blkid -p -s UUID -o value /dev/vdb');
  expect(await on(server, 'findmnt -rno SOURCE,FSTYPE /volume; grep /volume /etc/fstab | cut -d" " -f 1-3')).toBe(
    `/dev/vdb fuse.ext4\nUUID=${uuid} /volume ext4`,
  );
  expect(await on(server, 'stat -c "%U:%G %a" /volume/nfs/pv1 /volume/nfs/pv2')).toBe('nobody:nogroup 755\nnobody:nogroup 755');
  expect(await isDone(server)).toBe(true);
});

test('the commands of the guide show who exports what to whom, the lines of fstab, the mounted disk', async () => {
  const [block = ''] = await commandsOf('storage-server.md');
  const shown = await on(server, block);
  expect(shown).toMatch(/^ganesha$/m);
  expect(shown).toContain(`/volume/nfs/pv2\t${fleet.network.cidr}\t/volume`);
  expect(shown).toMatch(/^UUID=\S+ \/volume ext4 /m);
  expect(shown).toMatch(/^\/dev\/vdb \/volume fuse\.ext4$/m);
  expect(shown).toContain(`virtio-${DATA.volumeId.slice(0, 20)} -> ../../vdb`);
  expect(shown).toContain(`Path = "/volume/nfs/pv1"`);
});

test('done again, nothing is changed, and what is on the volume stays', async () => {
  await fleet.exec(server.serverId, ['tee', '/volume/nfs/pv1/data'], { input: CONTENT });
  const running = () => on(server, 'systemctl show -p MainPID nfs-ganesha; sha256sum /etc/fstab /etc/ganesha/*.conf');
  const before = await running();
  const runner = runnerOf(setUpStorage, server, storage());
  const id = runner.steps[0]!.id;
  await runner.action(id).apply(runner.runOf(id));
  expect(await running()).toBe(before);
  expect(await hashOn(server)).toBe(HASH);
});

test('a reboot keeps mounts and exports', async () => {
  await fleet.reboot(server.serverId);
  await fleet.ready(server.serverId);
  expect(await isDone(server)).toBe(true);
  expect(await hashOn(server)).toBe(HASH);
});

test('undone, nothing is exported and mounted any more, and the data are there for the next machine, whatever that calls the disk', async () => {
  const runner = runnerOf(setUpStorage, server, storage());
  const id = runner.steps[0]!.id;
  await runner.action(id).undo?.(runner.runOf(id, { phase: 'undo' }));
  expect(
    await on(
      server,
      'ls -A /volume; grep -c windlass /etc/fstab || true; ls /etc/ganesha /var/lib/windlass-storage 2> /dev/null || true; dpkg -l nfs-ganesha | grep -c ^ii || true',
    ),
  ).toBe('0\n0');
  await fleet.detachVolume(server.serverId, DATA.volumeId);
  successor = await boot(2, [{ volumeId: randomUUID(), device: '/dev/vdb', sizeGiB: 1 }]);
  await fleet.attachVolume(successor.serverId, { ...DATA, device: '/dev/vdc' });
  await setUp(successor);
  expect(await hashOn(successor)).toBe(HASH);
  expect(await on(successor, 'findmnt -rno SOURCE /volume; blkid -p /dev/vdb || true')).toBe('/dev/vdc');
});

test.each([
  [
    'a partition table',
    `printf '\\x55\\xaa' | dd of=/dev/vdc bs=1 seek=510 conv=notrunc status=none; printf '\\x83' | dd of=/dev/vdc bs=1 seek=450 conv=notrunc status=none; printf '\\x01' | dd of=/dev/vdc bs=1 seek=454 conv=notrunc status=none; printf '\\xff' | dd of=/dev/vdc bs=1 seek=458 conv=notrunc status=none`,
  ],
  ['swap', 'mkswap /dev/vdc > /dev/null'],
])('a volume with %s is refused, and not touched', async (holds, text) => {
  const volumeId = randomUUID();
  const volume = { volumeId, device: '/dev/vdc', sizeGiB: 1 };
  await fleet.attachVolume(server.serverId, volume);
  await on(server, text);
  const before = await on(server, 'head -c 16M /dev/vdc | sha256sum');
  const volumes = [{ volumeId, device: '/dev/vdc', mountTo: '/other' }];
  await expect(setUp(server, { volumes, exports: [] })).rejects.toMatchObject({
    name: 'TerminalError',
    message: expect.stringContaining(`holds ${holds}`) as string,
  });
  expect(await on(server, 'head -c 16M /dev/vdc | sha256sum; test ! -e /other; grep -c /other /etc/fstab || true')).toBe(
    `${before}\n0`,
  );
  await fleet.detachVolume(server.serverId, volumeId);
});

test('a volume that the machine has no disk of is named, with the disks that it has; another volume’s disk is not taken for it', async () => {
  const there = randomUUID();
  await fleet.attachVolume(server.serverId, { volumeId: there, device: '/dev/vdd', sizeGiB: 1 });
  const volumeId = randomUUID();
  const volumes = [{ volumeId, device: '/dev/vdd', mountTo: '/other' }];
  await expect(setUp(server, { volumes, exports: [] })).rejects.toMatchObject({
    message: expect.stringMatching(new RegExp(`has no disk of the volume ${volumeId} .*: it has .*loop`)) as string,
  });
  expect(await on(server, 'blkid -p /dev/vdd || true')).toBe('');
  await fleet.detachVolume(server.serverId, there);
});

test('a node gets what mounts NFS', async () => {
  const runner = runnerOf(installNfsClient, server, {});
  const id = runner.steps[0]!.id;
  expect(await runner.action(id).check?.(runner.runOf(id))).toBe(false);
  await runner.run();
  expect(await on(server, 'test -x /sbin/mount.nfs && echo there')).toBe('there');
});

const manifest = (path: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv1' }, spec: { nfs: { path } } });

const tried = async (path: string, address = successor.address): Promise<unknown> => {
  const files = { 'Files/pv.yaml': manifest(path) };
  const file = { vnfPkgId: 'package', path: 'Files/pv.yaml', size: 1, sha256: 'ab'.repeat(32) };
  const nodes = [{ ...machineOf(server), address: server.address }];
  const runner = runnerWith(tryNfsMounts, { nodes, manifests: [{ file, server: address }] }, files);
  return runner.performOnce(runner.steps[0]!.id).then(() => [...runner.outputs.values()][0]);
};

test('a node asks another machine’s NFS server what it exports to it, and says that it mounted nothing: here its root may not', async () => {
  expect(await tried('/volume/nfs/pv2')).toEqual({
    notes: [expect.stringMatching(/no PersistentVolume was mounted for a try: .* the NFS server said there/) as string],
  });
  expect(await on(server, 'findmnt -rn -t nfs,nfs4 || echo none')).toBe('none');
});

test.each([
  [
    'a folder that nobody exports',
    '/volume/nfs/pv3',
    undefined,
    /does not export \/volume\/nfs\/pv3 to this machine: it says .*\/volume\/nfs\/pv1/,
  ],
  ['a machine that is no NFS server', '/volume/nfs/pv1', 'itself', /answers no NFS/],
])('a node does not take for mountable: %s', async (_title, path, where, message) => {
  await expect(tried(path, where === undefined ? undefined : server.address)).rejects.toMatchObject({
    code: 'volumes.not-mountable',
    message: expect.stringMatching(message) as string,
  });
});
