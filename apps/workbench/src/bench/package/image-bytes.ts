import { createCipheriv } from 'node:crypto';

/** Half of a block can't be compressed, half can: as large as deflate's window, so that no block is found in the one before. */
const HALF = 32 * 1024;
const ZEROS = Buffer.alloc(HALF);
const TEXT = Buffer.alloc(HALF, 'a line of a file that an image holds again and again\n');

/**
 * The bytes of an image of that size, the same each time. Made as they are taken.
 * @param size in bytes
 */
export function* imageBytes(size: number): Generator<Buffer> {
  const random = createCipheriv('aes-128-ctr', Buffer.alloc(16, 'windlass'), Buffer.alloc(16));
  for (let left = size; left > 0; left -= 2 * HALF) {
    const block = Buffer.concat([random.update(ZEROS), TEXT]);
    yield left < block.length ? block.subarray(0, left) : block;
  }
}
