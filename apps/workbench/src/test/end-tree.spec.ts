import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { identityOf, isRunning, type ProcessIdentity } from '@windlass/embedded';
import { expect, it } from 'vitest';
import { endedBySignals, endTree, statusOf } from './end-tree.js';

/** A runner with three servers: the second stands in a session of its own, the third is deaf to being asked. */
const RUNNER = `sleep 600 & echo $!; setsid sleep 600 & echo $!; sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & wait`;

async function started(): Promise<{ runner: ChildProcess & { pid: number }; servers: ProcessIdentity[] }> {
  const runner = spawn('sh', ['-c', RUNNER], { stdio: ['ignore', 'pipe', 'ignore'] });
  let told = '';
  for await (const chunk of runner.stdout) if ((told += String(chunk)).split('\n').length > 3) break;
  const servers = told
    .trim()
    .split('\n')
    .flatMap((pid) => identityOf(Number(pid)) ?? []);
  expect(servers.filter(isRunning)).toHaveLength(3);
  if (runner.pid === undefined) throw new Error('sh did not start');
  return { runner: Object.assign(runner, { pid: runner.pid }), servers };
}

it('a runner that is ended leaves no server behind, in whatever session, and however it takes being asked', async () => {
  const { runner, servers } = await started();
  await endTree(runner.pid, 300);
  await expect.poll(() => servers.filter(isRunning)).toEqual([]);
  expect(identityOf(runner.pid)).toBeUndefined();
});

it('a signal ends what a command started, and tells the command', async () => {
  const { runner, servers } = await started();
  const signals = new EventEmitter();
  const ended = endedBySignals(signals, runner.pid);
  expect(ended.aborted).toBe(false);
  signals.emit('SIGTERM');
  expect(ended.aborted).toBe(true);
  expect(statusOf(ended)).toBe(143);
  await expect.poll(() => servers.filter(isRunning)).toEqual([]);
});
