import { minutes, seconds } from '@windlass/foundation';
import { cmd, type JobOutput } from '@windlass/mgmt-driver';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { failureOf, untilRunning } from '@windlass/mgmt-driver/testing/contract';
import { expect, it } from 'vitest';
import { setScene } from '../testing/scene.js';

const scene = setScene();
const within = seconds(60);

it('a job is followed over lost connections, each line read once', async () => {
  const rig = scene.rig();
  const lines: string[] = [];
  const onOutput = ({ text }: JobOutput): void => void lines.push(text);
  const script = cmd`${rig.work('w')}; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo line $i; sleep 0.2; done`;
  const job = rig.hosts.host(rig.target, hostRun()).job('work', { run: script, within, onOutput });
  for (const wanted of ['line 3', 'line 8']) {
    await expect.poll(() => lines.join(''), { timeout: 20_000, interval: 20 }).toContain(wanted);
    for (const session of scene.sshd.sessions()) process.kill(session, 'SIGKILL');
  }
  const all = Array.from({ length: 15 }, (_none, index) => `line ${index + 1}\n`).join('');
  expect(await job).toMatchObject({ status: 0, stdoutTail: all, attached: false });
  expect(lines.join('')).toBe(all);
  expect(await rig.begun('w')).toBe(1);
});

it('a look over a lost connection fails as one that may be tried again', async () => {
  const rig = scene.rig();
  const look = failureOf(rig.hosts.host(rig.target, hostRun()).run(rig.work('w', { takes: minutes(1) }), { within }));
  await untilRunning(rig, 'w');
  for (const session of scene.sshd.sessions()) process.kill(session, 'SIGKILL');
  expect(await look).toMatchObject({ name: 'TransientError', code: 'remote.connection-lost' });
});

it('a job on a host that stays away is not taken for ended, and runs on', async () => {
  const rig = scene.rig();
  const job = failureOf(rig.hosts.host(rig.target, hostRun()).job('work', { run: rig.work('w', { takes: minutes(1) }), within }));
  await untilRunning(rig, 'w');
  await scene.sshd.halt();
  expect(await job).toMatchObject({ name: 'TransientError', code: 'remote.unreachable' });
  expect(await rig.running('w')).toBe(1);
  await scene.sshd.restart();
});
