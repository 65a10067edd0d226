import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes files below a folder, making the folders between. Modes are as in a fresh system (0755, 0644), whatever the umask.
 * @param files contents by path relative to the folder.
 */
export async function writeTree(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    await makeFolders(folder, path.dirname(file));
    const target = path.join(folder, file);
    await writeFile(target, content);
    await chmod(target, 0o644);
  }
}

/** Makes the folders of a relative path below a folder, each 0755 if it was not there. */
export async function makeFolders(folder: string, relative: string): Promise<void> {
  if (relative === '.' || relative === '/') return;
  await makeFolders(folder, path.dirname(relative));
  const target = path.join(folder, relative);
  try {
    await mkdir(target);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw error;
  }
  await chmod(target, 0o755);
}
