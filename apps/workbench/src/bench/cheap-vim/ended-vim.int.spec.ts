import { join } from 'node:path';
import { waitUntil, millis, seconds } from '@windlass/foundation';
import { expect, it } from 'vitest';
import { startCheapVim } from './cheap-vim-process.js';

const HOME = join(import.meta.dirname, '../../../../..');

/** A zombie has ended, too. */
const hasEnded = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

it('a cheap VIM stays for the bench’s last question when all of its group is told to stop', async () => {
  const vim = await startCheapVim(HOME, 0);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(vim.pid ?? 0, signal);
  expect(await vim.taken()).toEqual([]);
  await vim.stop();
});

it('one that has ended fails the question, and not the bench’s process', async () => {
  const vim = await startCheapVim(HOME, 0);
  const { pid = 0 } = vim;
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => Promise.resolve(hasEnded(pid) ? true : undefined), {
    for: 'the cheap VIM to end',
    within: seconds(20),
    every: millis(10),
  });
  await expect(vim.taken()).rejects.toThrow('the process of the cheap VIM has ended');
  await vim.stop();
});
