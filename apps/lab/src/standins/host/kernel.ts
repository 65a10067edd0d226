import { readFile } from 'node:fs/promises';

/** Where the modprobe stand-in notes the modules that were asked for, one a line. */
export const MODULES_FILE = '/run/windlass-lab/modules';

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

/** Whether a kernel module was loaded with `modprobe`, by the stand-in's note. */
export const hasModule = async (name: string): Promise<boolean> => (await textOf(MODULES_FILE)).split('\n').includes(name);

/** Lines of `/proc/swaps` but its head: the swap areas in use. */
export const swapAreas = async (): Promise<string[]> => (await textOf('/proc/swaps')).trim().split('\n').slice(1);

/** `/proc/sys/net/ipv4/ip_forward`, trimmed. */
export const ipForward = async (): Promise<string> => (await textOf('/proc/sys/net/ipv4/ip_forward')).trim();
