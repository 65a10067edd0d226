import { RandomAccessReader } from 'yauzl';
import { type CsarSource, readExactly } from './csar-source.js';
import { PackageError } from '../refusals/package-error.js';

const BLOCK_BYTES = 64 * 1_024;
const BLOCKS_KEPT = 8;

/**
 * What yauzl reads a zip's directory through. The directory is read in dozens of bytes at a time, which a source in a database
 * would pay for dearly: blocks of 64 KiB are read and the last eight kept.
 */
export class SourceReader extends RandomAccessReader {
  readonly #blocks = new Map<number, Promise<Buffer>>();

  constructor(private readonly source: CsarSource) {
    super();
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#bytes(position, length).then(
      (bytes) => {
        bytes.copy(buffer, offset);
        callback(null, bytes.length);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
    );
  }

  async #bytes(position: number, length: number): Promise<Buffer> {
    if (!Number.isSafeInteger(position) || position < 0 || position + length > this.source.size) {
      throw new PackageError('csar.malformed', `the zip's directory points past the end of the file (byte ${position})`);
    }
    const parts: Buffer[] = [];
    for (let at = position; at < position + length;) {
      const start = at - (at % BLOCK_BYTES);
      const block = await this.#block(start);
      const part = block.subarray(at - start, Math.min(block.length, position + length - start));
      parts.push(part);
      at += part.length;
    }
    return Buffer.concat(parts);
  }

  #block(start: number): Promise<Buffer> {
    const known = this.#blocks.get(start);
    if (known !== undefined) return known;
    const oldest = this.#blocks.keys().next();
    if (this.#blocks.size >= BLOCKS_KEPT && oldest.done !== true) this.#blocks.delete(oldest.value);
    const block = readExactly(this.source, start, Math.min(BLOCK_BYTES, this.source.size - start));
    this.#blocks.set(start, block);
    block.catch(() => this.#blocks.delete(start));
    return block;
  }
}
