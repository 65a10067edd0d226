import { RequestError } from '@windlass/foundation';
import { PgPackageContent, type VnfPackageEntity } from '@windlass/persistence';
import { vnfdMembers, type VnfPackageModel } from '@windlass/vnf-package';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { sendStream } from '../http/send-stream.js';
import { byteRangeOf } from './byte-range.js';
import type { OpenArchives } from './open-archives.js';

/** Bytes that are read from the database at a time: so much of an archive is in memory, whatever its size. */
const PART_BYTES = 1024 * 1024;

const ZIP = 'application/zip';
const TEXT = 'text/plain';

/** An onboarded package, whose model is there. */
type Onboarded = Pick<VnfPackageEntity, 'id' | 'checksum' | 'size' | 'files'> & { model: VnfPackageModel };

/** Something of a known size that can be sent in part. */
interface Sendable {
  type: string;
  /** Bytes. */
  size: number;
  /** Hex digest of the bytes. */
  digest: string;
  /** The bytes from `start` to before `end`. */
  read: (start: number, end: number) => Readable;
}

/**
 * Sends what an onboarded package consists of: the archive, its VNFD, its artifacts (SOL005 9.4.4 - 9.4.7). The same below `vnf_packages` and
 * `onboarded_vnf_packages`. All of it is streamed out of PostgreSQL as fast as its client takes it in.
 */
export class PackageAnswers {
  constructor(
    private readonly content: PgPackageContent,
    private readonly archives: OpenArchives,
  ) {}

  /** The archive. @throws RequestError 406, 409 unless ONBOARDED, 400 and 416 for ranges */
  async archive(entity: VnfPackageEntity, request: Request, response: Response): Promise<void> {
    const { checksum, size } = onboarded(entity);
    acceptable(request, [ZIP]);
    const read = (start: number, end: number): Readable => Readable.from(this.#parts(entity, start, end));
    await send(request, response, { type: ZIP, size: Number(size), digest: checksum?.hash ?? '', read });
  }

  /** The VNFD: as text where it is one file and text is wanted, else as a zip. @throws RequestError 406, 409 unless ONBOARDED */
  async vnfd(entity: VnfPackageEntity, request: Request, response: Response): Promise<void> {
    const { id, model } = onboarded(entity);
    const [only, ...others] = model.vnfdFiles;
    const type =
      only === undefined || others.length > 0
        ? acceptable(request, [ZIP], `; the VNFD consists of ${model.vnfdFiles.length} files`)
        : acceptable(request, [TEXT, ZIP]);
    const csar = await this.archives.of(id);
    if (type === ZIP) {
      const members = await vnfdMembers(csar, model);
      await sendStream(csar.zipOf([...new Set(members)]), response.status(200).setHeader('Content-Type', ZIP));
    } else {
      const text = await csar.readMember(only ?? '', csar.limits.yaml.bytes);
      response.status(200).setHeader('Content-Type', TEXT).end(text);
    }
  }

  /**
   * A declared artifact or a software image by its path in the package; nothing else can be read, whatever the path.
   * @throws RequestError 404, 409 unless ONBOARDED, 400 and 416 for ranges
   */
  async artifact(entity: VnfPackageEntity, path: string, request: Request, response: Response): Promise<void> {
    const { id, model, files } = onboarded(entity);
    const csar = artifactPaths(model).includes(path) ? await this.archives.of(id) : undefined;
    if (csar?.has(path) !== true)
      throw new RequestError(
        404,
        'vnf-package.no-artifact',
        `VNF package ${id} declares no such artifact: its additionalArtifacts and softwareImages name those that there are`,
      );
    const digest = files?.find((file) => file.path === path)?.sha256 ?? '';
    // What a package's author wrote must not run in a browser as if it were ours.
    response.set({ 'X-Content-Type-Options': 'nosniff', 'Content-Disposition': 'attachment' });
    const read = (start: number, end: number): Readable => csar.openMember(path, { start, end });
    await send(request, response, { type: 'application/octet-stream', size: csar.member(path).size, digest, read });
  }

  /** All declared artifacts but software images, in a zip (SOL005 3.3.1, 9.4.7). @throws RequestError 406, 409 unless ONBOARDED */
  async artifacts(entity: VnfPackageEntity, request: Request, response: Response): Promise<void> {
    const { id, model } = onboarded(entity);
    acceptable(request, [ZIP]);
    const csar = await this.archives.of(id);
    const paths = model.additionalArtifacts.map(({ artifactPath }) => artifactPath).filter((path) => csar.has(path));
    await sendStream(csar.zipOf(paths), response.status(200).setHeader('Content-Type', ZIP));
  }

  async *#parts({ id, uploadEpoch }: VnfPackageEntity, start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end;) {
      const part = await this.content.read(id, uploadEpoch, at, Math.min(PART_BYTES, end - at));
      // The length was announced in a header, so an incomplete body must not end normally.
      if (part.length === 0) throw new RequestError(404, 'vnf-package.unknown', `VNF package ${id} was deleted meanwhile`);
      at += part.length;
      yield part;
    }
  }
}

const artifactPaths = (model: VnfPackageModel): string[] => [
  ...model.additionalArtifacts.map(({ artifactPath }) => artifactPath),
  ...model.softwareImages.map(({ imagePath }) => imagePath),
];

function onboarded({ id, onboardingState, model, checksum, size, files }: VnfPackageEntity): Onboarded {
  if (onboardingState !== 'ONBOARDED' || model === null)
    throw new RequestError(
      409,
      'vnf-package.not-onboarded',
      `VNF package ${id} is ${onboardingState}: what it consists of can be read once it is ONBOARDED`,
    );
  return { id, checksum, size, files, model };
}

/** The media type that is to be answered with. A request without `Accept` takes any. @throws RequestError 406 */
function acceptable(request: Request, types: string[], why = ''): string {
  const type = request.accepts(types);
  if (type !== false) return type;
  throw new RequestError(406, 'request.not-acceptable', `this is answered as ${types.join(' or ')}${why}: send Accept so`);
}

/** @throws RequestError 400, 416, with the size in `Content-Range` */
async function send(request: Request, response: Response, { type, size, digest, read }: Sendable): Promise<void> {
  const etag = `"${digest}"`;
  response.set('Accept-Ranges', 'bytes');
  const given = { range: request.header('range'), ifRange: request.header('if-range'), etag, size };
  const { start, end, partial } = rangeOrSize(given, response);
  response.status(partial ? 206 : 200).set({ 'Content-Length': String(end - start), ETag: etag });
  if (partial) response.set('Content-Range', `bytes ${start}-${end - 1}/${size}`);
  // Set without Express, which would add a charset.
  await sendStream(read(start, end), response.setHeader('Content-Type', type));
}

function rangeOrSize(given: Parameters<typeof byteRangeOf>[0], response: Response): ReturnType<typeof byteRangeOf> {
  try {
    return byteRangeOf(given);
  } catch (error) {
    if (error instanceof RequestError && error.status === 416) response.set('Content-Range', `bytes */${given.size}`);
    throw error;
  }
}
