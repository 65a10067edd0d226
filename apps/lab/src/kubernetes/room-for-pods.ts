import { statfs } from 'node:fs/promises';
import { TerminalError } from '@windlass/foundation';

/** A kubelet evicts pods where less than 15 % of its disk are free (`imagefs.available`), and the machines' disks are this machine's. */
const LEAST = 0.2;

/**
 * Looks whether kubelets on machines whose disks lie in that folder will have pods.
 * @param least part of the disk that must be free; {@link LEAST} but in tests
 * @throws TerminalError `lab.disk`
 */
export async function requireRoomForPods(folder: string, least = LEAST): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  if (bavail / blocks >= least) return;
  const gigabytes = (of: number) => `${((of * bsize) / 1024 ** 3).toFixed(1)} GB`;
  throw new TerminalError(
    'lab.disk',
    `${gigabytes(bavail)} of ${gigabytes(blocks)} are free where ${folder} lies, and kubelets evict pods from a disk that is nearly full: make room until ${Math.round(least * 100)} % are free, choose another folder by --data, or leave --kubernetes real away`,
  );
}
