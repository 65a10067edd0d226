import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable, Transform } from 'node:stream';
import { isoSeconds, uuid } from '../state/ids.js';
import type { CloudState, Image } from '../state/state.js';
import { glancePage } from './glance-errors.js';

export interface ImageRequest {
  id?: string;
  name?: string | null;
  visibility?: string;
  diskFormat?: string | null;
  containerFormat?: string | null;
  minDisk?: number;
  minRam?: number;
  protected?: boolean;
  hidden?: boolean;
  tags?: string[];
  extra?: Record<string, string>;
}

/** Images and their content. */
export class Glance {
  /** Ids of deleted images: Glance never gives an id twice. */
  readonly #gone = new Set<string>();

  constructor(
    private readonly state: CloudState,
    /** Folder of the images' content, one file an image. */
    private readonly folder: string,
  ) {}

  sees = (projectId: string, image: Image): boolean =>
    image.owner === projectId || image.visibility === 'public' || image.visibility === 'community';

  of = (projectId: string): Image[] => [...this.state.images.values()].filter((image) => this.sees(projectId, image)).reverse();

  get(projectId: string, id: string): Image {
    const image = this.state.images.get(id);
    if (image === undefined || !this.sees(projectId, image)) throw glancePage(404, `No image found with ID ${id}`);
    return image;
  }

  /** The images that this text is the id or the name of. */
  named = (projectId: string, nameOrId: string): Image[] => {
    const seen = this.of(projectId).filter((image) => !image.hidden);
    const byId = seen.filter((image) => image.id === nameOrId);
    return byId.length > 0 ? byId : seen.filter((image) => image.name === nameOrId);
  };

  create(projectId: string, requested: ImageRequest): Image {
    const now = isoSeconds();
    const id = requested.id ?? uuid();
    if (this.state.images.has(id) || this.#gone.has(id)) throw glancePage(409, `Image ID ${id} already exists!`);
    const image: Image = {
      id,
      name: requested.name ?? null,
      owner: projectId,
      status: 'queued',
      visibility: requested.visibility ?? 'shared',
      diskFormat: requested.diskFormat ?? null,
      containerFormat: requested.containerFormat ?? null,
      size: null,
      checksum: null,
      sha512: null,
      minDisk: requested.minDisk ?? 0,
      minRam: requested.minRam ?? 0,
      protected: requested.protected ?? false,
      hidden: requested.hidden ?? false,
      tags: requested.tags ?? [],
      extra: requested.extra ?? {},
      createdAt: now,
      updatedAt: now,
    };
    this.state.images.set(id, image);
    return image;
  }

  /** Takes the content as it comes, hashes it on the way, and makes the image active. A broken upload leaves it queued. */
  async upload(image: Image, content: Readable): Promise<void> {
    if (image.status !== 'queued') {
      throw glancePage(409, `Image status transition from ${image.status} to saving is not allowed`);
    }
    if (image.diskFormat === null || image.containerFormat === null) {
      throw glancePage(400, 'Properties disk_format, container_format must be set prior to saving data.');
    }
    image.status = 'saving';
    const [md5, sha512] = [createHash('md5'), createHash('sha512')];
    let size = 0;
    const count = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        md5.update(chunk);
        sha512.update(chunk);
        done(null, chunk);
      },
    });
    try {
      await mkdir(this.folder, { recursive: true });
      await pipeline(content, count, createWriteStream(this.file(image)));
    } catch (error) {
      image.status = 'queued';
      await rm(this.file(image), { force: true });
      if (content.errored !== null || !content.readableEnded) throw glancePage(400, 'The upload broke off.');
      throw error;
    }
    Object.assign(image, {
      status: 'active',
      size,
      checksum: md5.digest('hex'),
      sha512: sha512.digest('hex'),
      updatedAt: isoSeconds(),
    });
  }

  /** The content, or undefined while there is none. */
  async content(image: Image): Promise<Readable | undefined> {
    if (image.status !== 'active') return undefined;
    await stat(this.file(image));
    return createReadStream(this.file(image));
  }

  async delete(projectId: string, id: string, isAdmin: boolean): Promise<void> {
    const image = this.get(projectId, id);
    if (image.owner !== projectId && !isAdmin) throw glancePage(403, 'You do not own this image');
    if (image.protected) throw glancePage(403, `Image ${id} is protected and cannot be deleted.`);
    this.state.images.delete(id);
    this.#gone.add(id);
    await rm(this.file(image), { force: true });
  }

  private file = (image: Image): string => join(this.folder, image.id);
}
