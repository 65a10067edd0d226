import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isRunning, identityOf } from '@windlass/embedded';
import { expect, it } from 'vitest';
import { endTree } from './end-tree.js';

it('a runner that is ended leaves no server behind, in whatever session, and however it takes being asked', async () => {
  // The second one stands in a session of its own, the third one does not hear of being asked.
  const script = `sleep 600 & echo $!; setsid sleep 600 & echo $!; sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & wait`;
  const runner = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  let told = '';
  for await (const chunk of runner.stdout) if ((told += String(chunk)).split('\n').length > 3) break;
  const started = [runner.pid ?? 0, ...told.trim().split('\n').map(Number)].map((pid) => identityOf(pid));
  expect(started.map((one) => one !== undefined && isRunning(one))).toEqual([true, true, true, true]);
  const ended = once(runner, 'exit');
  await endTree(runner.pid ?? 0);
  await ended;
  await expect.poll(() => started.filter((one) => one !== undefined && isRunning(one))).toEqual([]);
});
