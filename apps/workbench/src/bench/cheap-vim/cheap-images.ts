import { createHash } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { jsonOf, notFound, ok, onlyKnown, pageOf, Refusal, unknown, type Answer, type Asked } from './answer.js';

interface Image {
  id: string;
  name: string;
  tags: Set<string>;
  asked: JsonObject;
  /** Absent until its bytes are there. */
  content?: { size: number; sha512: string };
}

/** Glance: images are active once their bytes are in. The bytes are hashed, as Glance does, and forgotten. */
export class CheapImages {
  readonly #images = new Map<string, Image>();

  answer(asked: Asked): Answer {
    const [version, images, id, what, tag] = asked.words;
    if (version !== 'v2' || images !== 'images') throw unknown(`Glance's ${asked.words.join('/')}`);
    if (id === undefined) return asked.method === 'POST' ? this.#create(jsonOf(asked)) : this.#list(asked);
    const image = this.#images.get(id);
    if (image === undefined) throw notFound(`image ${id}`);
    onlyKnown(asked, []);
    switch (`${asked.method} ${what ?? ''}`) {
      case 'GET ':
        return ok(shown(image));
      case 'DELETE ':
        this.#images.delete(id);
        return { status: 204 };
      case 'PUT file':
        return upload(image, asked.body);
      case 'PUT tags':
        image.tags.add(tag ?? '');
        return { status: 204 };
      case 'DELETE tags':
        if (!image.tags.delete(tag ?? '')) throw notFound(`tag ${tag ?? ''} of image ${id}`);
        return { status: 204 };
      default:
        throw unknown(`${asked.method} of Glance's ${asked.words.join('/')}`);
    }
  }

  #create(asked: JsonObject): Answer {
    const { id, name, tags } = asked;
    if (typeof id !== 'string' || typeof name !== 'string') throw unknown('images that have no id or no name');
    if (this.#images.has(id)) throw new Refusal(409, `there is an image ${id}`);
    const image = { id, name, tags: new Set(Array.isArray(tags) ? tags.map(String) : []), asked };
    this.#images.set(id, image);
    return { status: 201, json: shown(image) };
  }

  #list(asked: Asked): Answer {
    if (asked.method !== 'GET') throw unknown(`${asked.method} of Glance's images`);
    onlyKnown(asked, ['name', 'tag', 'limit', 'marker']);
    const [name, tags] = [asked.query.get('name'), asked.query.getAll('tag')];
    const found = [...this.#images.values()].filter(
      (image) => (name === null || image.name === name) && tags.every((tag) => image.tags.has(tag)),
    );
    return ok({ images: pageOf(found, asked).map(shown) });
  }
}

function upload(image: Image, bytes: Buffer): Answer {
  if (image.content !== undefined) throw new Refusal(409, `image ${image.id} has its bytes`);
  image.content = { size: bytes.length, sha512: createHash('sha512').update(bytes).digest('hex') };
  return { status: 204 };
}

const shown = ({ id, name, tags, asked, content }: Image): JsonObject => ({
  id,
  name,
  disk_format: asked.disk_format ?? null,
  container_format: asked.container_format ?? null,
  visibility: asked.visibility ?? 'private',
  min_disk: asked.min_disk ?? 0,
  min_ram: asked.min_ram ?? 0,
  status: content === undefined ? 'queued' : 'active',
  size: content?.size ?? null,
  os_hash_algo: content === undefined ? null : 'sha512',
  os_hash_value: content?.sha512 ?? null,
  tags: [...tags],
  file: `/v2/images/${id}/file`,
  schema: '/v2/schemas/image',
});
