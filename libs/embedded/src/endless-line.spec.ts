import { expect, it } from 'vitest';
import { LONGEST_LINE } from './output-lines.js';
import { ServerProcess } from './server-process.js';

/** What a shell script writes, line by line as its supervisor is told it. */
async function told(script: string): Promise<{ lines: string[]; lastLines: string }> {
  const lines: string[] = [];
  const server = await ServerProcess.start({
    name: 'writer',
    binary: '/bin/bash',
    args: ['-c', script],
    folder: '/',
    user: undefined,
    whenParentDies: 'TERM',
    log: (line) => void lines.push(line),
  });
  await server.exited;
  return { lines, lastLines: server.lastLines };
}

it('a server that never ends its line fills no memory of its supervisor: the line is told in pieces', async () => {
  const length = 3_000_000;
  const { lines, lastLines } = await told(`head -c ${length} /dev/zero | tr '\\0' x; printf '\\nthe end'`);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(LONGEST_LINE);
  expect(lines.slice(0, -1).join('')).toHaveLength(length);
  expect(lines.at(-1)).toBe('the end');
  expect(lastLines.length).toBeLessThan(21 * LONGEST_LINE);
});

it('lines are told as they were written: empty ones, those that end as on Windows, and letters of several bytes', async () => {
  const { lines } = await told(`printf 'a\\r\\n\\nf\\303'; sleep 0.1; printf '\\274nf\\n'`);
  expect(lines).toEqual(['a', '', 'fünf']);
});
