import { minutes, seconds } from '@windlass/foundation';
import { packageReadContract, type RequestClient } from '@windlass/messaging';
import { Readable } from 'node:stream';
import type { PackageReader } from './actions/infra-context.js';

/** Bytes asked for at once: with base64 and envelope well below NATS's 1 MiB. */
const PART_BYTES = 512 * 1024;

/** Files of packages, read in parts from lcm-api. */
export class NatsPackageReader implements PackageReader {
  constructor(private readonly client: RequestClient) {}

  open(vnfPkgId: string, path: string, signal: AbortSignal): Readable {
    return Readable.from(this.#parts(vnfPkgId, path, signal), { objectMode: false });
  }

  async *#parts(vnfPkgId: string, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    for (let offset = 0; ;) {
      const request = { vnfPkgId, path, offset, length: PART_BYTES };
      const { bytes, size } = await this.client.requestUntilAnswered(packageReadContract, request, {
        each: seconds(10),
        within: minutes(2),
        signal,
      });
      const part = Buffer.from(bytes, 'base64');
      if (part.length > 0) yield part;
      offset += part.length;
      if (offset >= size || part.length === 0) return;
    }
  }
}
