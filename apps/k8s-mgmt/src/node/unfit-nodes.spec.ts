import { describeDuration, seconds } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { FIT } from '../testing/fake-node.js';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { INSPECT_NODE, readInspection } from './inspection.js';

const MASTER = 'server-master-1';
const WORKER = 'server-worker-1';

describe('nodes that can’t become a cluster', () => {
  const { runner, world } = bench({ workers: 2 });
  const inspect = () => runner.action('inspect-nodes').apply(runner.runOf('inspect-nodes'));
  afterEach(() => {
    for (const id of [MASTER, WORKER, 'server-worker-2']) Object.assign(world.node(id), { inspection: FIT, clockAhead: 0 });
  });

  it('are not those with enough of everything', async () => {
    await expect(inspect()).resolves.toBeUndefined();
  });

  it.each([
    [MASTER, FIT.replace('cpus 2', 'cpus 1'), 'master24 has 1 CPU; a control plane needs 2: choose a larger flavour'],
    [MASTER, FIT.replace('3900', '1024'), 'master24 has 1024 MB of memory; a control plane needs 1700: choose a larger flavour'],
    [WORKER, FIT.replace('20000', '900'), 'worker31 has 900 MB free in /var/lib; 4000 are needed'],
    [WORKER, `${FIT}lacks vxlan\n`, "worker31's kernel has no module vxlan: take an image"],
    [
      WORKER,
      `${FIT}hosts master24 10.9.9.9\n`,
      "worker31's /etc/hosts has master24 at 10.9.9.9, which the cluster has elsewhere: take that line out",
    ],
    [WORKER, `${FIT}hosts localhost nothing\n`, 'worker31 does not resolve localhost'],
    [MASTER, `${FIT}taken 6443\n`, 'master24 listens on port 6443 already'],
    [WORKER, FIT.replace('link ens3 1450', 'link none 0'), 'worker31 has no link with the address 10.10.0.31'],
    [
      WORKER,
      `${FIT}cut 10.10.0.24\n`,
      "worker31's packets of 1450 bytes do not reach 10.10.0.24: give the network's own MTU to ens3",
    ],
    [WORKER, FIT.replace('1450', '1500'), "the nodes' MTUs differ (master24 1450, worker31 1500, worker32 1450)"],
  ])('are told with the node and what to do: %s', async (id, inspection, says) => {
    world.node(id).inspection = inspection;
    const refused = inspect();
    await expect(refused).rejects.toMatchObject({ name: 'TerminalError', code: 'node.unfit' });
    await expect(refused).rejects.toThrow(says);
  });

  it('may be small workers: only a control plane needs two CPUs', async () => {
    world.node(WORKER).inspection = FIT.replace('cpus 2', 'cpus 1').replace('3900', '1024');
    await expect(inspect()).resolves.toBeUndefined();
  });

  it('have a path too narrow for the pods’ overlay, wherever they are', async () => {
    for (const id of [MASTER, WORKER, 'server-worker-2']) world.node(id).inspection = FIT.replace('1450', '600');
    await expect(inspect()).rejects.toThrow("worker32's ens3 has an MTU of 600, of which the pods' overlay takes 50");
  });

  it.each([
    [60_000, 'clock is 60 s ahead of this service'],
    [-60_000, 'clock is 60 s behind this service'],
  ])('have a clock that is %s ms off ours, and the setting’s limit is told', async (clockAhead, says) => {
    world.node(WORKER).clockAhead = clockAhead;
    await expect(inspect()).rejects.toThrow(`worker31's ${says}'s, more than ${describeDuration(seconds(10))}: set the time`);
  });

  it('have clocks too far from each other, though each is near enough to ours', async () => {
    world.node(MASTER).clockAhead = 9_000;
    world.node(WORKER).clockAhead = -9_000;
    await expect(inspect()).rejects.toThrow('the clocks of master24 and worker31 are 18 s apart');
  });

  it('are told all at once, and nothing was changed on any', async () => {
    world.node(MASTER).inspection = `${FIT}taken 2379\n`;
    world.node(WORKER).inspection = `${FIT}lacks overlay\n`;
    await expect(inspect()).rejects.toThrow(/master24 listens on port 2379.*; worker31's kernel has no module overlay/);
    expect(world.hosts.processes).toEqual([]);
  });
});

describe('the look at a node', () => {
  let node: ScriptBench;
  beforeEach(() => {
    node = new ScriptBench()
      .program('nproc', 'echo 4')
      .program('df', 'printf "Filesystem 1048576-blocks Used Available Capacity Mounted\\n/dev/vda1 20000 5000 15000 25%% /\\n"')
      .program('modprobe')
      .program('getent', 'echo "127.0.0.1 localhost"')
      .program(
        'ip',
        `case "$*" in *addr*) echo "2: ens3    inet 10.10.0.31/24 brd 10.10.0.255 scope global ens3" ;;
         *) echo "2: ens3: <BROADCAST,MULTICAST,UP> mtu 1450 qdisc fq_codel state UP" ;; esac`,
      )
      .program('ping')
      .file('sys/module/README', '')
      .file('proc/meminfo', 'MemTotal:        4028416 kB\n')
      .file('proc/net/tcp', '  sl  local_address rem_address   st\n')
      .file('etc/hosts', '127.0.0.1 localhost\n127.0.1.1 worker31\n');
  });
  afterEach(() => node.remove());

  const look = async (role = 'worker') => {
    const end = await node.run(INSPECT_NODE, ['10.10.0.31', role, '10.10.0.24 master24\n10.10.0.31 worker31', '10.10.0.24']);
    expect(end).toMatchObject({ status: 0, stderr: '' });
    return readInspection(end.stdout);
  };

  it('finds nothing wrong where nothing is', async () => {
    expect(await look()).toEqual({
      ...{ cpus: 4, memory: 3934, disk: 15000, lacks: [], hosts: [], taken: [], cut: [] },
      link: { name: 'ens3', mtu: 1450 },
    });
    expect(node.calls).toContain('ping -q -c 2 -W 1 -i 0.2 -M do -s 1422 10.10.0.24');
  });

  it('finds modules that the kernel has not, and takes those that are built in for there', async () => {
    node.program('modprobe', 'exit 1').file('sys/module/overlay/README', '');
    expect((await look()).lacks).toEqual(['br_netfilter', 'vxlan']);
  });

  it('finds names of the cluster that the image has elsewhere, but not in our own part, a comment or the node’s own loop', async () => {
    node.file(
      'etc/hosts',
      '# 10.1.1.1 master24\n10.9.9.9 old master24 # of the image\n127.0.1.1 worker31\n# windlass: begin\n10.8.8.8 worker31\n# windlass: end\n',
    );
    node.program('getent', 'exit 2');
    expect((await look()).hosts).toEqual([
      { name: 'master24', address: '10.9.9.9' },
      { name: 'localhost', address: 'nothing' },
    ]);
  });

  it('finds ports of its role that are taken, on any address of either family', async () => {
    node.append('proc/net/tcp', '   0: 00000000:192B 00000000:0000 0A 0\n   1: 0100007F:094B 0100007F:0016 01 0\n');
    node.file('proc/net/tcp6', '   0: 00000000000000000000000000000000:280A 00000000000000000000000000000000:0000 0A 0\n');
    expect((await look('master')).taken).toEqual([6443, 10250]);
    expect((await look('worker')).taken).toEqual([10250]);
  });

  it('finds peers that only small packets reach, and blames nobody who answers none', async () => {
    node.program('ping', 'case "$*" in *-s*) exit 1 ;; esac');
    expect((await look()).cut).toEqual(['10.10.0.24']);
    node.program('ping', 'exit 1');
    expect((await look()).cut).toEqual([]);
  });

  it('finds no link with the node’s address', async () => {
    node.program('ip');
    expect((await look()).link.name).toBe('none');
  });
});

describe('what a node tells', () => {
  const TOLD = 'cpus 2\nmemory 4000\ndisk 9000\nlink eth0 1450\n';

  it.each([
    ['leaves a figure out', TOLD.replace('disk 9000\n', '')],
    ['is no number', TOLD.replace('4000', 'plenty')],
    ['has an empty figure', TOLD.replace('cpus 2', 'cpus')],
    ['has a link without its MTU', TOLD.replace(' 1450', '')],
  ])('is no fitness where it %s: the node is looked at again', (_what, told) => {
    expect(readInspection(TOLD)).toMatchObject({ disk: 9000, link: { name: 'eth0', mtu: 1450 } });
    expect(() => readInspection(told)).toThrow(/a whole number was expected of/);
  });
});
