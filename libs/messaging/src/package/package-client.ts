import { minutes, seconds, TerminalError } from '@windlass/foundation';
import type { Enrolment } from '../enrolment/enrolment.js';
import type { RequestClient } from '../request/request-client.js';
import { open } from '../sealing/sealed-box.js';
import { archivedAad, archivedPartContract, type ArchivedFile, type PackagePlace } from './package-contract.js';

/** Bytes asked for at once. */
const PART_BYTES = 512 * 1024;

type File = Pick<PackagePlace, 'vnfPkgId' | 'path'>;

interface Part {
  bytes: Buffer;
  file: ArchivedFile;
}

/** A file of a package that is about to be read. */
export interface OpenedFile {
  /** Bytes of its content, as the archive says. */
  size: number;
  /** Its bytes from the beginning, inflated here as they come; exactly as many as announced, or an error. May be called again. */
  bytes(): AsyncGenerator<Buffer>;
}

/** Files of VNF packages as a worker reads them: from lcm-api, in parts that only its enrolled key opens. */
export class PackageClient {
  constructor(
    private readonly client: Pick<RequestClient, 'requestUntilAnswered'>,
    private readonly service: string,
    private readonly enrolment: Pick<Enrolment, 'keys'>,
  ) {}

  /**
   * The bytes of a file, from its beginning, inflated here as they come. An answer that is lost is asked for again by itself; of the file,
   * a few parts are held. Read to its end, its length and CRC-32 are those that the archive announces.
   * @throws TransientError `enrolment.not-enrolled` when our key is not taken, and what {@link RequestClient} throws
   * @throws TerminalError `csar.*` for a file that does not hold what the archive announces, `package.changed` when that is another in its midst
   */
  async *read(vnfPkgId: string, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    yield* (await this.open(vnfPkgId, path, signal)).bytes();
  }

  /** As {@link read}, but says beforehand how many bytes there are. Throws what it throws. */
  async open(vnfPkgId: string, path: string, signal: AbortSignal): Promise<OpenedFile> {
    const first = await this.#part({ vnfPkgId, path, offset: 0 }, signal);
    return { size: first.file.size, bytes: () => this.#content({ vnfPkgId, path }, first, signal) };
  }

  async *#content({ vnfPkgId, path }: File, first: Part, signal: AbortSignal): AsyncGenerator<Buffer> {
    const { size, archivedSize: compressedSize, deflated, crc32 } = first.file;
    // Loaded with the first file: most services that could read one never do.
    const { checkAnnouncedSizes, DEFAULT_CSAR_LIMITS, PackageError, provenBytes } = await import('@windlass/vnf-package');
    const ended = new AbortController();
    const until = AbortSignal.any([signal, ended.signal]);
    try {
      checkAnnouncedSizes({ name: path, size, compressedSize }, DEFAULT_CSAR_LIMITS);
      yield* provenBytes({ name: path, size, deflated, crc32 }, this.#parts({ vnfPkgId, path }, first, until));
    } catch (error) {
      throw error instanceof PackageError ? new TerminalError(error.code, error.message, { cause: error }) : error;
    } finally {
      ended.abort();
    }
  }

  /** The archived bytes, the next part asked for while one is worked on. */
  async *#parts(file: File, first: Part, signal: AbortSignal): AsyncGenerator<Buffer> {
    const announced = JSON.stringify(first.file);
    for (let offset = 0, part = first; ;) {
      offset += part.bytes.length;
      const next = offset < part.file.archivedSize && part.bytes.length > 0 ? this.#part({ ...file, offset }, signal) : undefined;
      next?.catch(() => undefined); // awaited below, unless nobody wants more
      if (part.bytes.length > 0) yield part.bytes;
      if (next === undefined) return;
      part = await next;
      if (JSON.stringify(part.file) !== announced)
        throw new TerminalError(
          'package.changed',
          `${file.path} of package ${file.vnfPkgId} was announced as ${announced} at first, and as ${JSON.stringify(part.file)} from byte ${offset} on`,
        );
    }
  }

  async #part(place: PackagePlace, signal: AbortSignal): Promise<Part> {
    const { keys } = this.enrolment;
    const request = { ...place, length: PART_BYTES, service: this.service, keyId: keys.public.id };
    const options = { each: seconds(10), within: minutes(2), signal };
    const { sealed, size, archivedSize, deflated, crc32 } = await this.client.requestUntilAnswered(
      archivedPartContract,
      request,
      options,
    );
    const file = { size, archivedSize, deflated, crc32 };
    return { bytes: open(keys, sealed, archivedAad(place, file)), file };
  }
}
