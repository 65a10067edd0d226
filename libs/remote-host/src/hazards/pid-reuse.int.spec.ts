import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minutes } from '@windlass/foundation';
import { hostRun, nextClaim } from '@windlass/mgmt-driver/testing';
import { failureOf, untilRunning } from '@windlass/mgmt-driver/testing/contract';
import { expect, it } from 'vitest';
import { lives } from '../testing/contract-rig.js';
import { setScene } from '../testing/scene.js';

const scene = setScene();
const within = minutes(5);

it('a process that took over the number of a dead supervisor is neither taken for it nor ended', async () => {
  const rig = scene.rig();
  const run = hostRun({ operationId: 'op', stepId: 'step' });
  const detach = new AbortController();
  const spec = { run: rig.work('w', { takes: minutes(5) }), within };
  const lost = failureOf(rig.hosts.host(rig.target, { ...run, signal: detach.signal }).job('work', spec));
  await untilRunning(rig, 'w');
  detach.abort(new Error('lease lost'));
  await lost;
  await rig.reboot();
  // The machine came back, and a session of someone else's has the number.
  const other = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  try {
    const file = join(rig.jobsFolder, 'op/step/work/pid');
    const [, start = '', , cgroup = ''] = readFileSync(file, 'utf8').split(' ');
    writeFileSync(file, `${other.pid!} ${start} ${rig.bootId} ${cgroup}`);
    const next = nextClaim(run, 'resumed');
    expect(await failureOf(rig.hosts.host(rig.target, next).job('work', spec))).toMatchObject({ code: 'remote.job-lost' });
    expect(lives(other.pid!)).toBe(true);
  } finally {
    other.kill('SIGKILL');
  }
});
