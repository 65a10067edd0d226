import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { failureOf, untilRunning } from '@windlass/mgmt-driver/testing/contract';
import { expect, it } from 'vitest';
import { setScene } from '../testing/scene.js';

const scene = setScene();
const within = seconds(60);
const silence = seconds(2);

it('a host that freezes is noticed, and its job followed when it is back', async () => {
  const rig = scene.rig({}, { silence, connectWithin: seconds(1), patience: seconds(10) });
  const script = cmd`${rig.work('w')}; sleep 5; echo done`;
  const job = rig.hosts.host(rig.target, hostRun()).job('work', { run: script, within });
  await expect.poll(() => rig.begun('w'), { timeout: 20_000, interval: 20 }).toBe(1);
  const frozen = [scene.sshd.pid, ...scene.sshd.sessions()];
  for (const pid of frozen) process.kill(pid, 'SIGSTOP');
  const began = performance.now();
  const look = await failureOf(rig.hosts.host(rig.target, hostRun()).run(cmd`true`, { within }));
  expect(look).toMatchObject({ name: 'TransientError' });
  expect(performance.now() - began).toBeLessThan(seconds(40));
  for (const pid of frozen) process.kill(pid, 'SIGCONT');
  expect(await job).toMatchObject({ status: 0, stdoutTail: 'done\n' });
  expect(await rig.begun('w')).toBe(1);
});

it('the jobs of a frozen host are not confirmed stopped', async () => {
  const rig = scene.rig({}, { silence, connectWithin: seconds(1), patience: seconds(1) });
  const run = hostRun();
  const detach = new AbortController();
  const job = failureOf(
    rig.hosts
      .host(rig.target, { ...run, signal: detach.signal })
      .job('work', { run: rig.work('w', { takes: minutes(5) }), within }),
  );
  await untilRunning(rig, 'w');
  const frozen = [scene.sshd.pid, ...scene.sshd.sessions()];
  for (const pid of frozen) process.kill(pid, 'SIGSTOP');
  detach.abort(new Error('cancelled'));
  await job;
  expect(await failureOf(rig.hosts.endJobs(rig.target, run))).toMatchObject({ code: 'remote.not-confirmed-stopped' });
  expect(await rig.running('w')).toBe(1);
  for (const pid of frozen) process.kill(pid, 'SIGCONT');
  expect(await rig.hosts.endJobs(rig.target, run)).toEqual(['work']);
  expect(await rig.running('w')).toBe(0);
});
