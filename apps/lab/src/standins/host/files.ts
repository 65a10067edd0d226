import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** The file's text, or undefined where there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Names in a folder; none where there is no folder. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).sort();
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Writes a file as a whole: never half of it is seen. Folders are made as needed. */
export async function writeWhole(path: string, content: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${path}.new`;
  await writeFile(fresh, content, { mode });
  await chmod(fresh, mode);
  await rename(fresh, path);
}

/** Removes everything inside a folder, and leaves the folder. */
export async function emptyFolder(path: string): Promise<void> {
  for (const name of await namesIn(path)) await rm(`${path}/${name}`, { recursive: true, force: true });
}
