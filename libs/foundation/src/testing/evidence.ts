import { constants } from 'node:fs';
import { mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

/** Of each log the last bytes; of each rig so many logs at most; of what is logged into this process the last lines. */
const BYTES = 1024 * 1024;
const LOGS = 50;
const LINES = 5_000;

/** Where the rigs of a test file log. A setup file of vitest copies it where a test fails (tests/support/evidence.ts), before the rigs are gone. */
export class Evidence {
  readonly #folders = new Set<string>();
  readonly #lines = new Map<string, string[]>();
  /** Asked for only where somebody copies it and removes it afterwards. */
  #aside: string[] | undefined;

  /** Names a folder below which `*.log` files lie; it may be removed at any time. @returns the folder */
  folder(path: string): string {
    this.#folders.add(path);
    return path;
  }

  /** Takes the log of a service that has no file, a line at a time. */
  log(name: string): (line: string) => void {
    return (line) => {
      const lines = this.#lines.get(name) ?? [];
      this.#lines.set(name, lines);
      lines.push(`${new Date().toISOString()} ${line}`);
      if (lines.length > LINES) lines.shift();
    };
  }

  /** For a rig that removes its folder before the test has ended, as a rig does whose start failed: the logs are kept elsewhere until the end. */
  async setAside(path: string): Promise<void> {
    if (this.#aside === undefined) return;
    const aside = await mkdtemp(join(tmpdir(), `${basename(path)}-aside-`));
    this.#aside.push(this.folder(aside));
    await copyLogs(path, (name) => join(aside, name));
  }

  /** A test file begins: logs of earlier test files are dropped. */
  begin(): void {
    this.#folders.clear();
    this.#lines.clear();
    this.#aside = [];
  }

  /** The test file ends: what was set aside is removed. */
  async end(): Promise<void> {
    for (const aside of this.#aside ?? []) await rm(aside, { recursive: true });
    this.#aside = undefined;
  }

  /** Copies the end of each log. Links are not followed, and nothing in a folder named `secrets` is read. */
  async copyTo(into: string): Promise<void> {
    for (const folder of this.#folders) await copyLogs(folder, (name) => join(into, `${basename(folder)}-${name}`));
    for (const [name, lines] of this.#lines) {
      await writeFile(join(into, `${name}.log`), Buffer.from(`${lines.join('\n')}\n`).subarray(-BYTES));
    }
  }
}

/** The evidence of the test file that runs in this process. */
export const evidence = new Evidence();

async function copyLogs(folder: string, target: (name: string) => string): Promise<void> {
  for (const log of (await logsBelow(folder)).slice(0, LOGS)) {
    await copyEnd(log, target(relative(folder, log).replaceAll('/', '-')));
  }
}

/** Logs below a folder; none where the folder was removed. */
async function logsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.log')).map(({ name }) => join(folder, name));
  for (const entry of entries) {
    if (!entry.isDirectory() || entry.name === 'secrets' || isSystemRoot(entry.name)) continue;
    found.push(...(await logsBelow(join(folder, entry.name))));
  }
  return found;
}

/** The root of a machine of the lab: a whole Debian, whose console is a log beside it. */
const isSystemRoot = (name: string): boolean => ['root', 'rootfs', 'merged', 'upper'].includes(name);

async function copyEnd(from: string, to: string): Promise<void> {
  const file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (file === undefined) return; // the rig has removed the file meanwhile
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    await writeFile(to, bytes.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
