import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';

/** Of each log the last bytes, and of each rig so many logs at most. */
const BYTES = 1024 * 1024;
const LOGS = 50;
/** Lines of each message. */
const LINES = 40;

/**
 * Writes what tells why a test failed into a folder of its own: its messages, how busy the machine is, and the end of every `*.log` below the folders.
 * Links are not followed, and nothing in a folder named `secrets` is read.
 */
export async function keepEvidence(
  into: string,
  test: string,
  errors: readonly string[],
  folders: Iterable<string>,
): Promise<void> {
  const kept = join(into, test.replaceAll(/[^\w-]+/g, '-').slice(0, 80));
  await mkdir(kept, { recursive: true });
  const busy = await Promise.all(
    ['loadavg', 'pressure/cpu', 'pressure/io', 'pressure/memory'].map(async (name) => {
      const text = await readFile(join('/proc', name), 'utf8').catch(() => 'not told by this kernel\n');
      return `${name}: ${text.replaceAll('\n', ' ').trim()}`;
    }),
  );
  const messages = errors.map((error) => error.split('\n').slice(0, LINES).join('\n'));
  await writeFile(join(kept, 'failure.txt'), [test, new Date().toISOString(), ...busy, '', ...messages, ''].join('\n'));
  for (const folder of folders) {
    const logs = (await logsBelow(folder)).slice(0, LOGS);
    for (const log of logs) await copyEnd(log, join(kept, `${basename(folder)}-${relative(folder, log).replaceAll('/', '-')}`));
  }
}

/** Logs below a folder; none where it was removed. */
async function logsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'secrets' && !isSystemRoot(entry.name)) found.push(...(await logsBelow(path)));
    if (entry.isFile() && entry.name.endsWith('.log')) found.push(path);
  }
  return found;
}

/** The root of a machine of the lab: a whole Debian, whose console is a log beside it. */
const isSystemRoot = (name: string): boolean => name === 'root' || name === 'rootfs' || name === 'merged' || name === 'upper';

async function copyEnd(from: string, to: string): Promise<void> {
  const file = await open(from).catch(() => undefined);
  if (file === undefined) return; // its rig has removed it meanwhile
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    await writeFile(to, bytes.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
