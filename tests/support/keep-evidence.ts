import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Evidence } from '@windlass/foundation/testing';

/** So many lines of each message are kept. */
const LINES = 40;
/** Logs are kept for so many failures of a file: where a rig has died, all later tests fail. */
const FAILURES = 10;

/** Writes into a new folder why a test failed: the test's messages, the load of the machine, and the logs of the rigs. */
export async function keepEvidence(into: string, test: string, errors: readonly string[], evidence: Evidence): Promise<void> {
  const { number, folder } = await ownFolder(into, test);
  const busy = await Promise.all(
    ['loadavg', 'pressure/cpu', 'pressure/io', 'pressure/memory'].map(async (name) => {
      const text = await readFile(join('/proc', name), 'utf8').catch(() => 'not told by this kernel\n');
      return `${name}: ${text.replaceAll('\n', ' ').trim()}`;
    }),
  );
  const messages = errors.map((error) => error.split('\n').slice(0, LINES).join('\n'));
  await writeFile(join(folder, 'failure.txt'), [test, new Date().toISOString(), ...busy, '', ...messages, ''].join('\n'));
  if (number <= FAILURES) await evidence.copyTo(folder);
}

/** Makes a folder with the next number: a file may have two tests of one title, and a file that failed is run once more. */
async function ownFolder(into: string, test: string): Promise<{ number: number; folder: string }> {
  await mkdir(into, { recursive: true });
  const title = test.replaceAll(/[^\w-]+/g, '-').slice(0, 80);
  for (let number = (await readdir(into)).length + 1; ; number += 1) {
    const folder = join(into, `${number}-${title}`);
    if ((await mkdir(folder, { recursive: true })) !== undefined) return { number, folder };
  }
}
