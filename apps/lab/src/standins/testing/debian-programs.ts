import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The Debian programs of integration tests: each with its package, and its path in the package. */
const PROGRAMS = {
  kubectl: { of: 'kubernetes-client', at: 'usr/bin/kubectl' },
  etcd: { of: 'etcd-server', at: 'usr/bin/etcd' },
  etcdctl: { of: 'etcd-client', at: 'usr/bin/etcdctl' },
  exportfs: { of: 'nfs-kernel-server', at: 'usr/sbin/exportfs' },
} as const;

const CACHE = join(homedir(), '.cache/windlass/lab/test-programs');

/**
 * The path of a Debian program, unpacked from its package into the cache: nothing is installed on the machine,
 * which may have another kubectl, and where etcd and an NFS server would start as services.
 */
export async function debianProgram(name: keyof typeof PROGRAMS): Promise<string> {
  const { of, at } = PROGRAMS[name];
  const path = join(CACHE, name, at);
  if (await isThere(path)) return path;
  await mkdir(CACHE, { recursive: true });
  const building = await mkdtemp(join(CACHE, '.building-'));
  try {
    await download(of, building);
    const deb = (await readdir(building)).find((file) => file.endsWith('.deb'));
    if (deb === undefined) throw new Error(`apt-get brought no package ${of}`);
    await run('dpkg', ['-x', join(building, deb), join(building, 'root')]);
    // Where another run was faster, its folder stays.
    await rename(join(building, 'root'), join(CACHE, name)).catch(async (error: unknown) => {
      if (!(await isThere(path))) throw error;
    });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return path;
}

async function download(name: string, folder: string): Promise<void> {
  const apt = (...args: string[]): Promise<unknown> =>
    run('flock', ['/tmp/apt.lock', 'apt-get', '-o', 'APT::Sandbox::User=root', ...args], { cwd: folder });
  try {
    await apt('download', name);
  } catch {
    // The machine may never have fetched its mirror's lists.
    await apt('update');
    await apt('download', name);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
