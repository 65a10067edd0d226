import { createHash } from 'node:crypto';
import { TerminalError } from '@windlass/foundation';
import type { PackageClient } from '@windlass/messaging';

/** A file of a VNF package, as a plan names it. */
export interface PackageFileRef {
  vnfPkgId: string;
  path: string;
  size: number;
  /** Hex. */
  sha256: string;
}

/** Reads files of packages, wherever they are kept. */
export interface PackageFiles {
  /** The whole file, its hash checked. @throws TerminalError `package.changed`, `package.file-too-large` */
  read(file: PackageFileRef, signal: AbortSignal): Promise<Buffer>;
}

/** What a host takes with a job is 16 MiB in all. */
const MAX_SCRIPT_BYTES = 8 * 1024 * 1024;

/** Files of packages, asked of lcm-api. */
export class NatsPackageFiles implements PackageFiles {
  constructor(private readonly client: PackageClient) {}

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
    return checked(Buffer.concat(parts), path, sha256);
  }
}

function checked(bytes: Buffer, path: string, sha256: string): Buffer {
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found === sha256.toLowerCase()) return bytes;
  throw new TerminalError('package.changed', `${path} of the package has the SHA-256 ${found}; ${sha256} was planned with`);
}
