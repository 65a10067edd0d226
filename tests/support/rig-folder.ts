import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders of the rigs of this process; those that were removed are still named. */
export const rigFolders = new Set<string>();

/** Makes a folder for what a rig starts. The logs in it are kept where a test fails (tests/support/evidence.ts); the rig removes it. */
export async function rigFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  rigFolders.add(folder);
  return folder;
}
