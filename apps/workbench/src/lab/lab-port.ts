import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSecret } from '@windlass/windlass';

/** Beside the lab's own folder, which goes with the lab. */
const fileIn = (dataDir: string): string => join(dataDir, 'lab-port');

/** The port of the lab's OpenStack that was registered as a VIM in this data folder; 0, a free one, before that. */
export async function keptPort(dataDir: string): Promise<number> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '0';
    throw error;
  });
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

/** Keeps it for the next start: VNF instances know their VIM by its address. */
export const keepPort = (dataDir: string, port: number): Promise<void> => writeSecret(fileIn(dataDir), String(port));

/** Starts something on that port, or on a free one where another process has it. */
export async function onPort<T>(port: number, start: (port: number) => Promise<T>, say: (line: string) => void): Promise<T> {
  try {
    return await start(port);
  } catch (error) {
    if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    say(`another process has the port ${port}, where the lab of this folder was: a free one is taken`);
    return start(0);
  }
}
