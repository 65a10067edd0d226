import { createHash } from 'node:crypto';
import { minutes, seconds, TerminalError } from '@windlass/foundation';
import { packageReadContract, type RequestClient } from '@windlass/messaging';

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

/** Bytes asked for at once: with base64 and envelope well below NATS's 1 MiB. */
const PART = 512 * 1024;
/** What a host takes with a job is 16 MiB in all. */
const MOST = 8 * 1024 * 1024;

/** Files of packages, asked of lcm-api in parts. */
export class NatsPackageFiles implements PackageFiles {
  constructor(private readonly client: RequestClient) {}

  async read({ vnfPkgId, path, size, sha256 }: PackageFileRef, signal: AbortSignal): Promise<Buffer> {
    if (size > MOST)
      throw new TerminalError('package.file-too-large', `${path} has ${size} bytes; a script of at most ${MOST} is run`);
    const parts: Buffer[] = [];
    for (let offset = 0; offset < size;) {
      const request = { vnfPkgId, path, offset, length: PART };
      const reply = await this.client.requestUntilAnswered(packageReadContract, request, {
        each: seconds(10),
        within: minutes(2),
        signal,
      });
      const part = Buffer.from(reply.bytes, 'base64');
      if (part.length === 0) break;
      parts.push(part);
      offset += part.length;
    }
    return checked(Buffer.concat(parts), path, sha256);
  }
}

function checked(bytes: Buffer, path: string, sha256: string): Buffer {
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found === sha256.toLowerCase()) return bytes;
  throw new TerminalError('package.changed', `${path} of the package has the SHA-256 ${found}; ${sha256} was planned with`);
}
