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

/** Settings of the kernel that are the machine's alone; counters are left out. */
export async function readSettings(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const files = [...(await filesBelow('/proc/sys/vm')), ...(await filesBelow('/proc/sys/kernel'))];
  const counters =
    /\/(random\/|ns_last_pid|pty\/nr|sched_domain|compact_memory|drop_caches|stat_refresh|usermodehelper|perf_event_max_sample_rate)/;
  for (const file of [...files, '/proc/sys/net/ipv4/ip_forward'].filter((name) => !counters.test(name))) {
    // Some settings can't be read by anybody.
    found.set(file, await readFile(file, 'utf8').catch(() => 'unreadable'));
  }
  return found;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
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
