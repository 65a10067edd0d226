import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

/** What the compiler wrote: a process of its own ends as the command line does. */
const RUN = pathToFileURL(join(import.meta.dirname, '../dist/run.js')).href;

const ended = (command: string) => {
  const program = `import { run } from '${RUN}'; await run({ parseAsync: ${command} });`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  return { status, stderr };
};

it('a command that waits for what nothing is left to bring says so, and does not end as if it had succeeded', () => {
  expect(ended('() => new Promise(() => undefined)')).toEqual({
    status: 70,
    stderr: expect.stringMatching(/^windlass: ended in the middle: .+\n$/) as string,
  });
});

it('one that ends by itself, or fails, says nothing of the kind', () => {
  expect(ended('() => new Promise((resolve) => setTimeout(resolve, 10))')).toEqual({ status: 0, stderr: '' });
  expect(ended('() => Promise.reject("no disk")')).toEqual({ status: 1, stderr: 'windlass: no disk\n' });
});
