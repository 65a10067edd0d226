import { createHash, getHashes } from 'node:crypto';
import { Transform, pipeline, type Readable } from 'node:stream';
import {
  TerminalError,
  days,
  gibibytes,
  mebibytes,
  millis,
  minutes,
  seconds,
  waitUntil,
  type Duration,
  type Gibibytes,
  type JsonObject,
  type Mebibytes,
} from '@windlass/foundation';
import type { AnswerReader } from '../http/answer-reader.js';
import { urlPath } from '../http/url-path.js';
import type { OpenStackSession } from '../session/openstack-session.js';
import { MovingBytes } from './moving-bytes.js';

export interface Image {
  id: string;
  name: string;
  /** `queued` (no bytes yet), `saving`, `active`, `killed`, `deactivated`, ... */
  status: string;
  tags: string[];
  sizeBytes: number | undefined;
  /** The algorithm of `hash`, `sha512` by default. */
  hashAlgorithm: string | undefined;
  /** Hex digest of the bytes as Glance got them. */
  hash: string | undefined;
  /** What a flavor must have, for Nova to boot it. */
  minDiskGiB: Gibibytes;
  minRamMiB: Mebibytes;
}

export interface ImageSpec {
  /** A UUID of our choice, so that a repeated request makes no second image. */
  id?: string;
  name: string;
  /** `raw`, `qcow2`, ... */
  diskFormat: string;
  /** `bare` by default. */
  containerFormat?: string;
  tags?: readonly string[];
  minDiskGiB?: Gibibytes;
  minRamMiB?: Mebibytes;
}

export interface ImageContent {
  /** Makes the stream anew; called again if the request has to be repeated with a new token. */
  bytes: () => Readable;
  length: number;
  /** What the bytes must hash to: `sha-256` or `sha256`, hex. */
  checksum?: { algorithm: string; hash: string };
  /** How long nothing may move, and how long the answer may take once all is sent; a minute by default. As a whole it may take as long as it moves. */
  movesWithin?: Duration;
  /** Told how many bytes went out, each time that some did. */
  sent?: (bytes: number) => void;
  /** How long Glance may take to make the bytes usable once it has them. */
  activeWithin?: Duration;
}

/** Glance's images. Throws what OpenStackSession.request throws. */
export class GlanceApi {
  constructor(private readonly session: OpenStackSession) {}

  /** The images of that name that carry the tag, if one is given. Names are not unique. */
  async findImages(filter: { name?: string; tag?: string }): Promise<Image[]> {
    const found: Image[] = [];
    for (let marker: string | undefined; ;) {
      const query = { name: filter.name, tag: filter.tag, limit: PAGE, marker };
      const answer = await this.session.request('image', { method: 'GET', path: '/images', query, expect: [200] });
      const page = answer.body().objects('images').map(readImage);
      found.push(...page);
      marker = page.at(-1)?.id;
      if (page.length < PAGE || marker === undefined) return found;
    }
  }

  /** Undefined when there is no such image. */
  async getImage(id: string): Promise<Image | undefined> {
    const answer = await this.session.request('image', { method: 'GET', path: urlPath`/images/${id}`, expect: [200, 404] });
    return answer.status === 404 ? undefined : readImage(answer.body());
  }

  /**
   * Makes a private image without bytes.
   * @throws TerminalError `glance.image-exists` when there is one with the id of the spec
   */
  async createImage(spec: ImageSpec): Promise<Image> {
    const json: JsonObject = {
      ...(spec.id === undefined ? {} : { id: spec.id }),
      name: spec.name,
      disk_format: spec.diskFormat,
      container_format: spec.containerFormat ?? 'bare',
      visibility: 'private',
      tags: [...(spec.tags ?? [])],
      min_disk: spec.minDiskGiB ?? 0,
      min_ram: spec.minRamMiB ?? 0,
    };
    const answer = await this.session.request('image', { method: 'POST', path: '/images', json, expect: [201, 409] });
    if (answer.status === 201) return readImage(answer.body());
    throw new TerminalError('glance.image-exists', `Glance has an image with id ${spec.id ?? '(none given)'} already`);
  }

  /**
   * Streams the bytes into a queued image, waits until it is active, and compares what we read, what Glance got and what was to be.
   * @throws TransientError `glance.upload-stalled` when nothing moves any more
   * @throws TerminalError `glance.unknown-algorithm` before anything is sent
   * @throws TerminalError `glance.hash-mismatch`, `glance.not-active`, `glance.not-queued`; the image is left for the caller to delete
   */
  async upload(id: string, content: ImageContent): Promise<Image> {
    const { length, movesWithin = minutes(1) } = content;
    const sent = new SentHashes(content.checksum?.algorithm);
    const moving = new MovingBytes({ of: `image ${id}`, length, movesWithin, sent: content.sent });
    const answer = await this.session
      .request('image', {
        method: 'PUT',
        path: urlPath`/images/${id}/file`,
        content: { type: 'application/octet-stream', bytes: () => moving.watch(sent.watch(content.bytes())), length },
        expect: [204, 409],
        within: LONGEST,
        signal: moving.signal,
      })
      .finally(() => moving.stop());
    if (answer.status === 409) {
      throw new TerminalError('glance.not-queued', `image ${id} has bytes already, or is getting them from somebody else`);
    }
    const image = await this.waitActive(id, content.activeWithin);
    compare(image, sent, content.checksum);
    return image;
  }

  /**
   * Waits until the image can be used.
   * @throws TerminalError `glance.not-active` when it never will
   */
  async waitActive(id: string, within: Duration = seconds(100)): Promise<Image> {
    return waitUntil(
      async (seen) => {
        const image = await this.getImage(id);
        if (image?.status === 'active') return image;
        if (image === undefined || !['queued', 'saving', 'importing', 'uploading'].includes(image.status)) {
          throw new TerminalError('glance.not-active', `image ${id} is ${image?.status ?? 'gone'}, and will not become active`);
        }
        seen(image.status);
        return undefined;
      },
      {
        for: `image ${id} to be active`,
        within,
        every: millis(200),
        growth: 1.5,
        atMost: seconds(5),
        ...(this.session.signal === undefined ? {} : { signal: this.session.signal }),
      },
    );
  }

  /** False when there is no such image any more. */
  async deleteImage(id: string): Promise<boolean> {
    const answer = await this.session.request('image', { method: 'DELETE', path: urlPath`/images/${id}`, expect: [204, 404] });
    return answer.status === 204;
  }

  /** Adding a tag that is there changes nothing. */
  async addTag(id: string, tag: string): Promise<void> {
    await this.session.request('image', { method: 'PUT', path: urlPath`/images/${id}/tags/${tag}`, expect: [204] });
  }

  /** Removing a tag that is not there changes nothing. */
  async removeTag(id: string, tag: string): Promise<void> {
    await this.session.request('image', { method: 'DELETE', path: urlPath`/images/${id}/tags/${tag}`, expect: [204, 404] });
  }
}

/** No upload takes longer, however it moves. */
const LONGEST = days(7);

/** Images a page. */
const PAGE = 100;

/** Glance's default. */
const GLANCE_ALGORITHM = 'sha512';

function readImage(image: AnswerReader): Image {
  return {
    id: image.text('id'),
    name: image.textIfAny('name') ?? '',
    status: image.text('status'),
    tags: image.texts('tags'),
    sizeBytes: image.numberIfAny('size'),
    hashAlgorithm: image.textIfAny('os_hash_algo'),
    hash: image.textIfAny('os_hash_value'),
    minDiskGiB: gibibytes(image.number('min_disk')),
    minRamMiB: mebibytes(image.number('min_ram')),
  };
}

/** `SHA-512` and `sha512` are one. */
const algorithmName = (text: string): string => text.toLowerCase().replaceAll('-', '');

/** The digests of what went out, in Glance's algorithm and in the one asked for. */
class SentHashes {
  readonly #algorithms: Set<string>;
  #digests = new Map<string, string>();

  constructor(wanted: string | undefined) {
    if (wanted !== undefined && !getHashes().includes(algorithmName(wanted))) {
      throw new TerminalError('glance.unknown-algorithm', `checksum algorithm "${wanted}" is not known; use sha-256 or sha-512`);
    }
    this.#algorithms = new Set([GLANCE_ALGORITHM, ...(wanted === undefined ? [] : [algorithmName(wanted)])]);
  }

  watch(source: Readable): Readable {
    const hashes = [...this.#algorithms].map((name) => ({ name, hash: createHash(name) }));
    const watcher = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hashes.forEach(({ hash }) => hash.update(chunk));
        done(null, chunk);
      },
      flush: (done) => {
        this.#digests = new Map(hashes.map(({ name, hash }) => [name, hash.digest('hex')]));
        done();
      },
    });
    // An error of the source destroys the watcher with it, and so reaches the request that reads from it.
    return pipeline(source, watcher, () => undefined);
  }

  get(algorithm: string): string | undefined {
    return this.#digests.get(algorithmName(algorithm));
  }
}

function compare(image: Image, sent: SentHashes, checksum: ImageContent['checksum']): void {
  if (checksum !== undefined) {
    const was = sent.get(checksum.algorithm);
    if (was !== checksum.hash.toLowerCase()) {
      throw new TerminalError(
        'glance.hash-mismatch',
        `the bytes of image "${image.name}" have ${checksum.algorithm} ${was ?? 'unknown'}, the VNFD says ${checksum.hash}`,
      );
    }
  }
  if (image.hashAlgorithm === undefined || image.hash === undefined) return;
  const ours = sent.get(image.hashAlgorithm);
  if (ours !== undefined && ours !== image.hash) {
    throw new TerminalError(
      'glance.hash-mismatch',
      `Glance holds image "${image.name}" (${image.id}) with ${image.hashAlgorithm} ${image.hash}, we sent ${ours}`,
    );
  }
}
