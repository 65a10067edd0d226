import { createHash, type Hash } from 'node:crypto';
import { shape, TerminalError, type TypeOf } from '@windlass/foundation';
import type { PackageClient } from '@windlass/messaging';
import { exactly, name, path } from '../inputs/input-shapes.js';

/** The shape of a {@link PackageFileRef}. */
export const packageFile = exactly({
  vnfPkgId: name,
  path,
  size: shape.integer({ minimum: 0 }),
  /** Hex. */
  sha256: name,
});

/** A file of a VNF package, as a plan names it. */
export type PackageFileRef = TypeOf<typeof packageFile>;

/** Reads files of packages, wherever they are kept. */
export interface PackageFiles {
  /** The whole file, its hash checked. @throws TerminalError `package.changed`, `package.file-too-large` */
  read(file: PackageFileRef, signal: AbortSignal): Promise<Buffer>;
  /**
   * The file's bytes as they arrive, whatever its size. The hash is known only at the end, so the caller must discard bytes of a stream that fails.
   * @throws TerminalError `package.changed`
   */
  stream(file: PackageFileRef, signal: AbortSignal): AsyncIterable<Buffer>;
}

/** What a host takes with a job is 16 MiB in all. */
const MAX_SCRIPT_BYTES = 8 * 1024 * 1024;

/** Files of packages, asked of lcm-api. */
export class NatsPackageFiles implements PackageFiles {
  constructor(private readonly client: Pick<PackageClient, 'read'>) {}

  async read({ vnfPkgId, path, size, sha256 }: PackageFileRef, signal: AbortSignal): Promise<Buffer> {
    if (size > MAX_SCRIPT_BYTES)
      throw new TerminalError(
        'package.file-too-large',
        `${path} has ${size} bytes; a script of at most ${MAX_SCRIPT_BYTES} is run`,
      );
    const parts: Buffer[] = [];
    let read = 0;
    for await (const part of this.client.read(vnfPkgId, path, signal)) {
      parts.push(part);
      read += part.length;
      if (read > size) break; // longer than planned with: its hash is another one
    }
    const bytes = Buffer.concat(parts);
    compare(createHash('sha256').update(bytes), path, sha256);
    return bytes;
  }

  async *stream({ vnfPkgId, path, size, sha256 }: PackageFileRef, signal: AbortSignal): AsyncIterable<Buffer> {
    const hash = createHash('sha256');
    let read = 0;
    for await (const part of this.client.read(vnfPkgId, path, signal)) {
      read += part.length;
      if (read > size) break; // as above
      hash.update(part);
      yield part;
    }
    compare(hash, path, sha256);
  }
}

function compare(hash: Hash, path: string, sha256: string): void {
  const found = hash.digest('hex');
  if (found === sha256.toLowerCase()) return;
  throw new TerminalError('package.changed', `${path} of the package has the SHA-256 ${found}; ${sha256} was planned with`);
}
