import { minutes, seconds } from '@windlass/foundation';
import type { Enrolment } from '../enrolment/enrolment.js';
import type { RequestClient } from '../request/request-client.js';
import { open } from '../sealing/sealed-box.js';
import { packageAad, packagePartContract } from './package-contract.js';

/** Bytes asked for at once. */
const PART_BYTES = 512 * 1024;

/** Files of VNF packages as a worker reads them: from lcm-api, in parts that only its enrolled key opens. */
export class PackageClient {
  constructor(
    private readonly client: RequestClient,
    private readonly service: string,
    private readonly enrolment: Pick<Enrolment, 'keys'>,
  ) {}

  /**
   * The bytes of a file, part by part.
   * @throws TransientError `enrolment.not-enrolled` when our key is not taken, and what {@link RequestClient} throws
   */
  async *read(vnfPkgId: string, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    const { keys } = this.enrolment;
    for (let offset = 0; ;) {
      const place = { vnfPkgId, path, offset };
      const request = { ...place, length: PART_BYTES, service: this.service, keyId: keys.public.id };
      const options = { each: seconds(10), within: minutes(2), signal };
      const { sealed, size } = await this.client.requestUntilAnswered(packagePartContract, request, options);
      const part = open(keys, sealed, packageAad(place, size));
      if (part.length > 0) yield part;
      offset += part.length;
      if (offset >= size || part.length === 0) return;
    }
  }
}
