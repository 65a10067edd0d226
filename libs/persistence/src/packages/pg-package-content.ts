import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { rowsOf } from '../database.js';

/** Bytes in a row: a part of a chunk is read without the rest, so the size only bounds a single write. */
export const CHUNK_BYTES = 1024 * 1024;

/** The archives of VNF packages, in rows of 1 MiB; streamed in, read anywhere. */
export class PgPackageContent {
  constructor(private readonly database: DataSource) {}

  /**
   * Writes an archive, a chunk a transaction, under an upload's epoch; an upload that dies leaves chunks of an epoch that nothing names.
   * @param before is told how many bytes there will be with each chunk, before that is kept; what it throws ends the writing
   * @returns size in bytes and SHA-512 in hex
   */
  async write(
    packageId: string,
    epoch: number,
    bytes: AsyncIterable<Uint8Array>,
    before: (size: number) => Promise<void> = () => Promise.resolve(),
  ): Promise<{ size: number; sha512: string }> {
    const hash = createHash('sha512');
    let size = 0;
    let number = 0;
    let pending: Uint8Array[] = [];
    let pendingBytes = 0;
    let kept = 0;
    const flush = async (chunk: Buffer): Promise<void> => {
      await before((kept += chunk.length));
      await this.database.query('INSERT INTO package.chunk (package_id, epoch, number, bytes) VALUES ($1, $2, $3, $4)', [
        packageId,
        epoch,
        number++,
        chunk,
      ]);
    };
    for await (const part of bytes) {
      hash.update(part);
      size += part.length;
      pending.push(part);
      pendingBytes += part.length;
      while (pendingBytes >= CHUNK_BYTES) {
        const whole = Buffer.concat(pending);
        await flush(whole.subarray(0, CHUNK_BYTES));
        pending = [whole.subarray(CHUNK_BYTES)];
        pendingBytes = whole.length - CHUNK_BYTES;
      }
    }
    if (pendingBytes > 0) await flush(Buffer.concat(pending));
    return { size, sha512: hash.digest('hex') };
  }

  /** Bytes from `offset`, as many as asked for or as there are. */
  async read(packageId: string, epoch: number, offset: number, length: number): Promise<Buffer> {
    const first = Math.floor(offset / CHUNK_BYTES);
    const last = Math.floor((offset + Math.max(0, length - 1)) / CHUNK_BYTES);
    const rows = await rowsOf<{ number: number; bytes: Buffer }>(
      this.database.manager,
      `SELECT number, substring(bytes FROM from_byte + 1 FOR to_byte - from_byte) AS bytes FROM (
         SELECT number, bytes, CASE WHEN number = $3::int THEN $5::int ELSE 0 END AS from_byte, CASE WHEN number = $4::int THEN $6::int ELSE $7::int END AS to_byte
         FROM package.chunk WHERE package_id = $1 AND epoch = $2 AND number BETWEEN $3::int AND $4::int
       ) AS parts ORDER BY number`,
      [packageId, epoch, first, last, offset - first * CHUNK_BYTES, offset + length - last * CHUNK_BYTES, CHUNK_BYTES],
    );
    return Buffer.concat(rows.map(({ bytes }) => bytes));
  }

  /** Removes chunks of other epochs, or of all. */
  async remove(packageId: string, exceptEpoch?: number): Promise<void> {
    await this.database.query('DELETE FROM package.chunk WHERE package_id = $1 AND epoch IS DISTINCT FROM $2', [
      packageId,
      exceptEpoch ?? null,
    ]);
  }
}
