import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { hostRun, nextClaim } from '@windlass/mgmt-driver/testing';
import { failureOf, untilRunning } from '@windlass/mgmt-driver/testing/contract';
import { expect, it } from 'vitest';
import { lives } from '../testing/contract-rig.js';
import { setScene } from '../testing/scene.js';

const scene = setScene();
const within = seconds(60);

it('a job outlives its worker and the whole of sshd, and another service reads all of it', async () => {
  const rig = scene.rig();
  const run = hostRun();
  const script = cmd`for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; sleep 0.2; done`;
  // A killed worker says nothing any more: its promise stays behind, as its connection does.
  const dead = failureOf(rig.hosts.host(rig.target, run).job('work', { run: cmd`${script}; ${rig.work('w')}`, within }));
  await untilStarted(rig);
  rig.hosts.close();
  await scene.sshd.restart();
  const successor = scene.rig(rig.target, { jobsFolder: rig.jobsFolder, bootIdFile: rig.bootIdFile });
  const result = await successor.hosts
    .host(rig.target, nextClaim(run, 'resumed'))
    .job('work', { run: rig.work('never'), within });
  expect(result).toMatchObject({ status: 0, attached: true });
  expect(result.stdoutTail).toBe(Array.from({ length: 12 }, (_none, index) => `line ${index + 1}\n`).join(''));
  expect([await rig.begun('w'), await rig.begun('never')]).toEqual([1, 0]);
  await dead;
});

it('a job whose supervisor was killed is ended with all its processes before it is told to be lost', async () => {
  const rig = scene.rig();
  const run = hostRun();
  const job = failureOf(rig.hosts.host(rig.target, run).job('work', { run: rig.work('w', { takes: minutes(10) }), within }));
  await untilRunning(rig, 'w');
  for (const supervisor of rig.supervisors()) process.kill(supervisor, 'SIGKILL');
  expect(await job).toMatchObject({ code: 'remote.job-lost' });
  expect(rig.pids('w').filter(lives)).toEqual([]);
});

it('a job that seems to be of another boot is ended, not attached to', async () => {
  const rig = scene.rig();
  const run = hostRun();
  const job = failureOf(rig.hosts.host(rig.target, run).job('work', { run: rig.work('w', { takes: minutes(10) }), within }));
  await untilRunning(rig, 'w');
  rig.changeBoot();
  const next = rig.hosts.host(rig.target, nextClaim(run, 'resumed')).job('work', { run: rig.work('w'), within });
  expect(await failureOf(next)).toMatchObject({ code: 'remote.job-lost' });
  expect(rig.pids('w').filter(lives)).toEqual([]);
  expect(await rig.begun('w')).toBe(1);
  await job;
});

it('the time of a job counts from its start, not from when someone attaches', async () => {
  const rig = scene.rig();
  const run = hostRun();
  const detach = new AbortController();
  const spec = { run: rig.work('w', { takes: minutes(10) }), within: seconds(15) };
  const lost = failureOf(rig.hosts.host(rig.target, { ...run, signal: detach.signal }).job('work', spec));
  await untilRunning(rig, 'w');
  await rig.hosts.host(rig.target, run).run(cmd`sleep 15.5`, { within });
  detach.abort(new Error('lease lost'));
  await lost;
  const began = performance.now();
  expect(await failureOf(rig.hosts.host(rig.target, nextClaim(run, 'resumed')).job('work', spec))).toMatchObject({
    code: 'remote.job-timeout',
  });
  // eslint-disable-next-line no-restricted-syntax -- counted from here it would take 15 s
  expect(performance.now() - began).toBeLessThan(14_900);
});

it('a worker that overslept can not end the job of its successor', async () => {
  const rig = scene.rig();
  const run = hostRun();
  const asleep = failureOf(
    rig.hosts.host(rig.target, run).job('work', { run: rig.work('w', { takes: seconds(8) }), within: seconds(5) }),
  );
  await untilRunning(rig, 'w');
  const result = await rig.hosts.host(rig.target, nextClaim(run, 'resumed')).job('work', { run: rig.work('w'), within });
  expect(result).toMatchObject({ status: 0, attached: true });
  expect(await asleep).toMatchObject({ code: 'remote.stale-epoch' });
  expect(await rig.begun('w')).toBe(1);
});

async function untilStarted(rig: ReturnType<typeof scene.rig>): Promise<void> {
  await expect.poll(() => rig.supervisors().length, { timeout: 10_000, interval: 20 }).toBeGreaterThan(0);
}
