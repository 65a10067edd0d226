import { imageContent, MANIFEST_TYPE, type ImageContent } from './image-content.js';
import { imageAt, isServed } from './served-images.js';

export interface RegistryAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Of a manifest or a blob: repository, kind, reference. */
const PATH = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/;

/** Whether a node is refused an image this time; a registry that works refuses none. */
export type Refuses = (image: string) => boolean;

/** A refusal as registries word it. */
export const refusal = (status: number, code: string, message: string): RegistryAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ errors: [{ code, message }] })),
});

/** Images that are more than a name, by theirs in full but for the tag; each is made when it is asked for first. */
export type MadeImages = Readonly<Record<string, () => Promise<ImageContent>>>;

/**
 * The lab's registries: the pulling half of the OCI distribution API, for whatever image and tag they are said to have. What is fetched,
 * verified and unpacked is by a container runtime's own work.
 */
export class Registry {
  readonly #images = new Map<string, Promise<ImageContent>>();
  readonly #blobs = new Map<string, Buffer>();

  constructor(private readonly made: MadeImages = {}) {}

  /** What `GET https://<host><path>` is answered. */
  async answer(host: string, path: string, refuses: Refuses = () => false): Promise<RegistryAnswer> {
    if (path === '/v2/' || path === '/v2')
      return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') };
    const match = PATH.exec(path);
    const [, repository = '', kind, reference = ''] = match ?? [];
    const image = imageAt(host, repository);
    if (match === null || image === undefined || (this.made[image] === undefined && !isServed(image)))
      return refusal(404, 'NAME_UNKNOWN', `repository name not known to registry: ${repository}`);
    if (reference.startsWith('sha256:')) {
      const blob = this.#blobs.get(reference);
      if (blob === undefined) return refusal(404, 'BLOB_UNKNOWN', `blob unknown to registry: ${reference}`);
      return this.#found(blob, reference, kind === 'manifests' ? MANIFEST_TYPE : 'application/octet-stream');
    }
    const name = `${image}:${reference}`;
    if (refuses(name)) return refusal(503, 'UNAVAILABLE', 'service unavailable');
    const content = await this.#content(image, name);
    return this.#found(content.manifest, content.digest, MANIFEST_TYPE);
  }

  /** Whether `https://<host><path>` is of an image that is made, and no mere name. */
  makes(host: string, path: string): boolean {
    const [, repository = ''] = PATH.exec(path) ?? [];
    return this.made[imageAt(host, repository) ?? ''] !== undefined;
  }

  #found(body: Buffer, digest: string, type: string): RegistryAnswer {
    return { status: 200, headers: { 'content-type': type, 'docker-content-digest': digest }, body };
  }

  #content(image: string, name: string): Promise<ImageContent> {
    const make = this.made[image];
    const key = make === undefined ? name : image;
    const known = this.#images.get(key);
    if (known !== undefined) return known;
    const making = this.#keep(make === undefined ? Promise.resolve(imageContent(name)) : make());
    this.#images.set(key, making);
    making.catch(() => this.#images.delete(key)); // who asks next has it tried again
    return making;
  }

  async #keep(making: Promise<ImageContent>): Promise<ImageContent> {
    const made = await making;
    for (const [digest, blob] of made.blobs) this.#blobs.set(digest, blob);
    return made;
  }
}
