import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { expect, test } from 'vitest';
import { cgroup2Root } from './cgroups.js';
import { finish, run } from '../debian/command.js';
import { labIdentity } from './lab-identity.js';
import { linksOf } from './network.js';
import { spawnFleet } from './testing/compiled-fleet.js';
import { processesOfCgroup } from './testing/machine-state.js';
import { CACHE, machineSpec, startTestFleet } from './testing/test-fleet.js';

/** What of a lab can be seen on the machine. */
async function traces(dataDir: string) {
  const lab = labIdentity(path.join(dataDir, 'hosts'));
  return {
    cgroup: (await finish('test', ['-d', path.join((await cgroup2Root()) ?? '', lab.cgroup)])).status === 0,
    processes: (await processesOfCgroup(lab.cgroup)).length,
    links: (await linksOf(lab)).length,
    mounts: (await readFile('/proc/self/mounts', 'utf8')).split('\n').filter((line) => line.includes(dataDir)).length,
    loops: (await run('losetup', ['--list', '--noheadings', '--output', 'BACK-FILE']))
      .split('\n')
      .filter((line) => line.includes(dataDir)).length,
    folders: (await run('ls', [path.join(dataDir, 'hosts')])).split('\n').filter((name) => name !== '' && name !== 'lock').length,
  };
}
const NOTHING = { cgroup: false, processes: 0, links: 0, mounts: 0, loops: 0, folders: 0 };

test('a stopped lab leaves no process, mount, cgroup, link, loop device or disk', async () => {
  const lab = await startTestFleet();
  const spec = machineSpec(lab.fleet, 1, { volumes: [{ volumeId: 'data', device: '/dev/vdb', sizeGiB: 1 }] });
  await lab.fleet.boot(spec);
  expect(await traces(lab.dataDir)).toMatchObject({ cgroup: true, links: 2, loops: 1, folders: 2 });
  await lab.fleet.stop();
  expect(await traces(lab.dataDir)).toEqual(NOTHING);
  await expect(lab.fleet.boot(spec)).rejects.toMatchObject({ code: 'lab.stopping' });
  await lab.end();
});

test('a lab killed by SIGKILL takes its VMs with it, and the next start on its data folder sweeps the rest', async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'windlass-killed-'));
  const machines = [1, 2].map((n) => ({
    serverId: `killed-${n}`,
    name: `vm-${n}`,
    imageName: 'debian-12',
    nics: [{ mac: `fa:16:3e:00:01:0${n}`, address: `0.0.0.1${n}`, prefixLength: 24, allowedAddresses: [] }],
    volumes: n === 1 ? [{ volumeId: 'data', device: '/dev/vdb', sizeGiB: 1 }] : [],
  }));
  const child = await spawnFleet(dataDir, CACHE, machines);
  expect((await traces(dataDir)).processes).toBeGreaterThan(8);
  await expect(startTestFleet({ dataDir })).rejects.toMatchObject({ code: 'lab.in-use' });
  child.kill('SIGKILL');
  await once(child, 'exit');
  await waitUntil(async () => ((await traces(dataDir)).processes === 0 ? true : undefined), {
    for: 'the VMs of a killed lab to end',
    within: seconds(20),
    every: millis(20),
  });
  expect(await traces(dataDir)).toMatchObject({ cgroup: true, loops: 1, folders: 2 });
  // A process that stayed all the same, as one would that ignores its parent's death.
  const stray = spawn('sleep', ['1000'], { stdio: 'ignore' });
  const cgroup = path.join((await cgroup2Root()) ?? '', labIdentity(path.join(dataDir, 'hosts')).cgroup, 'killed-1');
  await writeFile(path.join(cgroup, 'guest/cgroup.procs'), String(stray.pid));

  const lab = await startTestFleet({ dataDir });
  expect(lab.lines.filter((line) => line.includes('killed'))).toHaveLength(1);
  expect(await traces(dataDir)).toMatchObject({ processes: 0, links: 1, loops: 0, folders: 1 });
  const spec = machineSpec(lab.fleet, 1);
  await lab.fleet.boot(spec);
  await lab.fleet.ready(spec.serverId);
  await lab.fleet.stop();
  expect(await traces(dataDir)).toEqual(NOTHING);
  await lab.end();
});

test('two labs run side by side, each on its own subnet', async () => {
  const labs = await Promise.all([startTestFleet(), startTestFleet()]);
  const networks = labs.map(({ fleet }) => fleet.network.cidr);
  expect(new Set(networks).size).toBe(2);
  const specs = labs.map(({ fleet }) => machineSpec(fleet, 1));
  await Promise.all(labs.map(({ fleet }, at) => fleet.boot(specs[at]!)));
  await Promise.all(labs.map(({ fleet }, at) => fleet.ready(specs[at]!.serverId)));
  await labs[0].end();
  // The same server id in both: the other's machine is not touched.
  await expect(labs[1].fleet.exec(specs[1]!.serverId, ['hostname'])).resolves.toMatchObject({ stdout: 'vm-1\n' });
  await labs[1].end();
});
