import { open, readFile, rename, rm } from 'node:fs/promises';

/** Appears whole or not at all: a crash between leaves no half secret. */
export async function secretIn(file: string, make: () => string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const value = make();
  await writeSecret(file, value);
  return value;
}

/** Writes a secret file, mode 0600, replacing what was there. */
export const writeSecret = (file: string, value: string): Promise<void> => writeSecretBytes(file, [`${value}\n`]);

/** The same of bytes as they come. Where they break off nothing is left, and what was there stays. */
export async function writeSecretBytes(
  file: string,
  bytes: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const temporary = `${file}.${process.pid}.new`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    try {
      for await (const part of bytes) await handle.appendFile(part);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
