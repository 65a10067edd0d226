import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Everything of a file that a change would show in, contents apart, by path below a folder. */
export async function listTree(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const { mode, uid, gid, size, mtimeMs, rdev, nlink } = await lstat(file);
    found.set(file, [mode, uid, gid, size, mtimeMs, rdev, nlink].join(' '));
  }
  return found;
}

/** The machine's device nodes: kind, numbers, owner and mode by name. Terminals come and go and are left out. */
export async function listDevices(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of await readdir('/dev')) {
    const { mode, uid, gid, rdev } = await lstat(path.join('/dev', name));
    // Loop devices are other labs' volumes.
    if (rdev !== 0 && !name.startsWith('loop')) found.set(name, [mode, uid, gid, rdev].join(' '));
  }
  return found;
}

/** Settings of the machine's kernel by file. Only those that a test tries to change: other programs on the machine change others. */
export async function readSettings(files: readonly string[]): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)));
}

/** Ids of the processes on this machine whose cgroup has a text in its name. */
export async function processesOfCgroup(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const cgroups = await readFile(`/proc/${name}/cgroup`, 'utf8').catch(() => '');
    if (cgroups.includes(text)) found.push(Number(name));
  }
  return found;
}

/** The command lines of all processes on this machine. */
export async function commandLines(): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
}
