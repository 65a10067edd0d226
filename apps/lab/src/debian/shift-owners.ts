import { chmod, lchown, lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { GUEST_ROOT_ID } from './guest-ids.js';

/** As many files at once as keeps the thread pool busy without a heap of promises. */
const AT_ONCE = 64;

/** Transitions every owner below a folder up into the VMs' ids. Files moved already stay; the set-user-id bits survive. */
export async function shiftOwners(folder: string): Promise<void> {
  const status = await lstat(folder);
  if (status.uid < GUEST_ROOT_ID) {
    await lchown(folder, status.uid + GUEST_ROOT_ID, status.gid + GUEST_ROOT_ID);
    // chown takes set-user-id and set-group-id away.
    if (!status.isSymbolicLink() && (status.mode & 0o6000) !== 0) await chmod(folder, status.mode & 0o7777);
  }
  if (!status.isDirectory()) return;
  const names = await readdir(folder);
  for (let at = 0; at < names.length; at += AT_ONCE) {
    await Promise.all(names.slice(at, at + AT_ONCE).map((name) => shiftOwners(path.join(folder, name))));
  }
}
