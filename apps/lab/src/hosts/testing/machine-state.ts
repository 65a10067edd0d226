import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The metadata of the files below a folder, by path: every change but one of the contents is seen in it. */
export async function listTree(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const { mode, uid, gid, size, mtimeMs, rdev, nlink } = await lstat(file);
    found.set(file, [mode, uid, gid, size, mtimeMs, rdev, nlink].join(' '));
  }
  return found;
}

/** Kind, numbers, owner and mode of the machine's device nodes, by name, without terminals, which come and go. */
export async function listDevices(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of await readdir('/dev')) {
    const { mode, uid, gid, rdev } = await lstat(path.join('/dev', name));
    // Loop devices are other labs' volumes.
    if (rdev !== 0 && !name.startsWith('loop')) found.set(name, [mode, uid, gid, rdev].join(' '));
  }
  return found;
}

/** The kernel's settings in these files. Other programs on the machine change other settings. */
export async function readSettings(files: readonly string[]): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)));
}

/** The ids of the processes whose cgroup has a text in its name. */
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
