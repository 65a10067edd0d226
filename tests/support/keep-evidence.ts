import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Evidence } from '@windlass/foundation/testing';

/** Lines of each message. */
const LINES = 40;
/** Failures of a file whose logs are kept: where a rig has died, all that follow fail. */
const FAILURES = 10;

/** Writes what tells why a test failed into a folder of its own: its messages, how busy the machine is, and the logs of its rigs. */
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

/** A file may have two tests of the same title, and is run once more where it failed. */
async function ownFolder(into: string, test: string): Promise<{ number: number; folder: string }> {
  await mkdir(into, { recursive: true });
  const title = test.replaceAll(/[^\w-]+/g, '-').slice(0, 80);
  for (let number = (await readdir(into)).length + 1; ; number += 1) {
    const folder = join(into, `${number}-${title}`);
    if ((await mkdir(folder, { recursive: true })) !== undefined) return { number, folder };
  }
}
