import { statSync } from 'node:fs';
import { join } from 'node:path';
import { seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { expect, it } from 'vitest';
import { setScene } from '../testing/scene.js';

const scene = setScene();
const within = seconds(60);

it('keeps the last 64 KiB of a job that prints without end, counts the rest, and does not fill the disk', async () => {
  const rig = scene.rig({}, { logLimit: 1024 * 1024 });
  const host = rig.hosts.host(rig.target, hostRun({ operationId: 'op', stepId: 'step' }));
  const size = 40 * 1024 * 1024;
  // In pieces, as something that runs long would.
  const run = cmd`for i in 1 2 3 4 5 6 7 8 9 10; do head -c ${size / 10} /dev/zero | tr '\\0' x; sleep 0.3; done; echo; echo the end; echo é`;
  const job = host.job('huge', { run, within });
  const blocks: number[] = [];
  const watch = setInterval(() => {
    try {
      blocks.push(statSync(join(rig.jobsFolder, 'op/step/huge/out')).blocks * 512);
    } catch {
      // Not there yet, or gone.
    }
  }, 20);
  const result = await job;
  clearInterval(watch);
  expect(result.stdoutTail.endsWith('\nthe end\né\n')).toBe(true);
  expect(result.stdoutTail.length).toBeLessThanOrEqual(64 * 1024);
  expect(result.stdoutDropped + 64 * 1024).toBe(size + '\nthe end\né\n'.length + 1);
  expect(Math.max(...blocks)).toBeLessThan(size / 2);
});

it('replaces what is no UTF-8, and cuts a look that prints too much', async () => {
  const rig = scene.rig();
  const host = rig.hosts.host(rig.target, hostRun());
  expect((await host.job('bytes', { run: cmd`printf 'a\\377\\303b\\n'`, within })).stdoutTail).toBe('a\uFFFD\uFFFDb\n');
  const look = await host.run(cmd`head -c 9000000 /dev/zero`, { within });
  expect([look.stdout.length, look.truncated]).toEqual([4 * 1024 * 1024, true]);
});

it('takes much input, and a job that reads none of it', async () => {
  const rig = scene.rig();
  const host = rig.hosts.host(rig.target, hostRun());
  const input = 'x'.repeat(5_000_000);
  expect((await host.job('counts', { run: cmd`wc -c`, within, input })).stdoutTail.trim()).toBe('5000000');
  expect((await host.job('ignores', { run: cmd`true`, within, input })).status).toBe(0);
  expect((await host.run(cmd`true`, { within, input })).status).toBe(0);
});
