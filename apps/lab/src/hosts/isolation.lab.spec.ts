import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { hours } from '@windlass/foundation';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { baseRoot } from '../debian/base-root.js';
import { Cache } from '../debian/cache.js';
import { run } from '../debian/command.js';
import { listDevices, listTree, readSettings } from './testing/machine-state.js';
import { sshTo } from './testing/ssh.js';
import { CACHE, machineSpec, startTestFleet, type TestFleet } from './testing/test-fleet.js';

/** Device nodes that every machine has or that are its disks: others come and go with the programs that use them. */
const OF_ALL = /^(null|zero|full|random|urandom|tty|console|kmsg|fuse|mem|(vd|sd|xvd|nvme)\w*)$/;

/** Settings of the machine's kernel that the VM tries to change. */
const SETTINGS = ['/proc/sys/vm/swappiness', '/sys/kernel/mm/ksm/run'];
/** Prints which settings the root of a VM may open for writing; nothing is written. */
const WRITABLE =
  'find /proc/sys/vm /proc/sys/kernel -type f | while read -r file; do (: >> "$file") 2> /dev/null && echo "$file"; done; true';
/** Settings of namespaces that a VM has to itself: of System V's IPC, of process ids (the largest, too, since Linux 6.14) and of its name. */
const OF_NAMESPACES = /^\/proc\/sys\/kernel\/((auto_msgmni|msg|sem|shm)\w*|ns_last_pid|pid_max|hostname|domainname)$/;

let lab: TestFleet;
let folder: string;
let root: string;
let swap: string;
/** The file behind the swap device: the kernel writes to it when it likes, so only its size is looked at. */
let swapFile: string;
let decoy: ChildProcess;

beforeAll(async () => {
  lab = await startTestFleet();
  root = await baseRoot(await Cache.open(CACHE, () => undefined), () => undefined);
  folder = await mkdtemp(path.join(os.tmpdir(), 'windlass-outside-'));
  await writeFile(path.join(folder, 'kept'), 'outside');
  // Something that `swapoff -a` would hit, and a process that `pkill sshd` would.
  swapFile = path.join(await mkdtemp(path.join(os.tmpdir(), 'windlass-swap-')), 'swap');
  await writeFile(swapFile, '');
  await truncate(swapFile, 4 * 1024 * 1024);
  swap = (await run('losetup', ['--find', '--show', swapFile])).trim();
  await run('mkswap', [swap]);
  await run('swapon', [swap]);
  decoy = spawn('sleep', ['1000'], { argv0: 'sshd', stdio: 'ignore' });
});

afterAll(async () => {
  decoy.kill('SIGKILL');
  await run('swapoff', [swap]);
  await run('losetup', ['--detach', swap]);
  await rm(folder, { recursive: true });
  await rm(path.dirname(swapFile), { recursive: true });
  await lab.end();
});

async function outside() {
  return {
    devices: new Map([...(await listDevices())].filter(([name]) => OF_ALL.test(name))),
    settings: await readSettings(SETTINGS),
    swaps: (await readFile('/proc/swaps', 'utf8')).split('\n').filter((line) => line.startsWith(swap)).length,
    root: await listTree(root),
    files: await listTree(folder),
    swapBytes: (await stat(swapFile)).size,
    decoy: decoy.exitCode ?? decoy.signalCode,
  };
}

test('what the root of a VM destroys is the VM alone', async () => {
  const victim = machineSpec(lab.fleet, 1);
  const neighbour = machineSpec(lab.fleet, 2);
  await Promise.all([victim, neighbour].map((spec) => lab.fleet.boot(spec)));
  await Promise.all([victim, neighbour].map((spec) => lab.fleet.ready(spec.serverId)));
  const before = await outside();
  const clock = Date.now() - performance.now();

  const done = async (...argv: string[]) => (await lab.fleet.exec(victim.serverId, argv)).status;
  const refused = {
    swapoff: await done('swapoff', swap),
    date: await done('date', '-s', '@1'),
    mknod: await done('mknod', '/dev/x', 'b', '8', '0'),
    sysctl: await done('sysctl', '-w', 'vm.swappiness=1'),
    hostDevices: await done('mount', '-t', 'devtmpfs', 'devtmpfs', '/mnt'),
    ext4: await done('mount', '-i', '-t', 'ext4', '/dev/vda', '/mnt'),
    dmesg: await done('dmesg'),
    sysrq: await done('sh', '-c', 'echo h > /proc/sysrq-trigger'),
    moduleLoad: await done('sh', '-c', 'echo 0 > /sys/kernel/mm/ksm/run'),
  };
  expect(Object.entries(refused).filter(([, status]) => status === 0)).toEqual([]);
  const { stdout: writable } = await lab.fleet.exec(victim.serverId, ['sh', '-c', WRITABLE]);
  expect(writable.split('\n').filter((file) => file !== '' && !OF_NAMESPACES.test(file))).toEqual([]);
  expect(writable).toContain('/proc/sys/kernel/shmmax');
  await done('swapoff', '-a');
  expect(await done('pkill', 'sshd')).toBe(0);
  await lab.fleet.exec(victim.serverId, ['rm', '-rf', '--no-preserve-root', '/']);
  await expect(lab.fleet.exec(victim.serverId, ['ls', '/'])).resolves.toMatchObject({ status: 127 });

  expect(await outside()).toEqual(before);
  expect(before.swaps).toBe(1);
  // Not in 1970: whoever keeps this machine's clock right may have moved it a little.
  expect(Math.abs(Date.now() - performance.now() - clock)).toBeLessThan(hours(1));
  const ssh = await sshTo(neighbour.nics[0]!.address);
  expect(await ssh.run('hostname')).toMatchObject({ stdout: 'vm-2\n' });
  ssh.close();
});
