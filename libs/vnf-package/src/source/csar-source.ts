import { open } from 'node:fs/promises';
import { TerminalError, TransientError, WindlassError } from '@windlass/foundation';

/**
 * Random access to the bytes of a package, wherever they are kept: a file, chunks in PostgreSQL, a buffer of a test.
 * It is all this library asks for, so that a package is never whole in memory.
 */
export interface CsarSource {
  /** Length of the zip file in bytes. */
  readonly size: number;
  /** The `length` bytes at `offset`. Asked for no byte at or past `size`; fewer bytes than asked for is an error. */
  read(offset: number, length: number): Promise<Buffer>;
  /** Gives back what the source holds open. */
  close?(): Promise<void>;
}

/** A package in a file. @throws TerminalError `package.source-unreadable` if there is no such file or it is not readable. */
export async function fileCsarSource(path: string): Promise<CsarSource> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new TerminalError('package.source-unreadable', `the package file ${path} can't be opened`, { cause: error });
  });
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      const buffer = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    close: () => file.close(),
  };
}

/** A package in memory: for small ones and for tests. */
export function bufferCsarSource(bytes: Buffer): CsarSource {
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}

/**
 * Reads exactly `length` bytes.
 * @throws TransientError `package.source-unreadable` if the source fails or gives fewer: that says nothing about the package.
 */
export async function readExactly(source: CsarSource, offset: number, length: number): Promise<Buffer> {
  let bytes: Buffer;
  try {
    bytes = await source.read(offset, length);
  } catch (error) {
    if (error instanceof WindlassError) throw error;
    throw new TransientError('package.source-unreadable', `the package's bytes at ${offset} can't be read`, { cause: error });
  }
  if (bytes.length === length) return bytes;
  throw new TransientError(
    'package.source-unreadable',
    `the package's store gave ${bytes.length} bytes at ${offset} where ${length} were asked for`,
  );
}
