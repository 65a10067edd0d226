import { createHash } from 'node:crypto';
import { pipeline, Transform, type Readable } from 'node:stream';
import { minutes, seconds, TerminalError } from '@windlass/foundation';
import {
  derivedId,
  imageTag,
  findSharedImageAction,
  shareImageAction,
  SHARED_IMAGE_TAG,
  type ShareImageInput,
  type UploadImageOutput,
} from '@windlass/lifecycle';
import type { Image } from '@windlass/openstack';
import { NotThere, present } from '@windlass/saga';
import { contradicts, imagesFor, imageWithoutBytes, inMiB, isThere } from './images.actions.js';
import { infraAction, type InfraContext } from './infra-context.js';
import { requireOwnImage } from './ownership.js';
import { uninterruptedByCancel } from './stop-stack.js';

type Share = InfraContext<ShareImageInput>;

/** The tags of the shared image of an id, whatever its own id in Glance is. */
const tagsOf = ({ imageId, tags }: ShareImageInput): string[] => [SHARED_IMAGE_TAG, imageTag(imageId), ...tags];

/** On images whose bytes were compared with the package's. An image without this tag was left by an attempt that died, and no instance uses it. */
const COMPARED_TAG = 'windlass-compared';

const isOurs = (input: ShareImageInput, tags: readonly string[]): boolean => tagsOf(input).every((tag) => tags.includes(tag));

/** States of an image without all of its bytes. Only one step at a time has the image's limit key, so no upload of such an image is at work. */
const HALF_WAY = ['queued', 'saving', 'uploading', 'importing', 'killed'];

const isUsable = (image: Image, input: ShareImageInput): boolean =>
  image.status === 'active' && isOurs(input, image.tags) && isCompared(image, input);

/** Looks for the shared image, beside others who look or upload: it changes nothing. Under its own id first, where it nearly always is. */
export const findSharedImage = infraAction(findSharedImageAction, {
  apply: ({ openStack, input, looks, run }) =>
    looks.take(run, input.vim.authUrl, async () => {
      const first = await openStack.glance.getImage(input.imageId);
      const there = first !== undefined && isUsable(first, input) ? [first] : await imagesFor(openStack, input.imageId);
      const usable = there.find((image) => isUsable(image, input));
      return usable === undefined ? new NotThere() : ({ imageId: usable.id } satisfies UploadImageOutput);
    }),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

/**
 * Brings an image that instances share into Glance, once. An active image whose hash does not contradict the VNFD's is used. Where somebody deleted
 * or deactivated the image, it is uploaded again under an id that derives from its own and the claim. A deactivated image stays, because other
 * instances may have it.
 */
export const shareImage = infraAction(shareImageAction, {
  check: async ({ openStack, input }) => {
    const there = await imagesFor(openStack, input.imageId);
    const usable = there.find((image) => isUsable(image, input));
    return usable === undefined ? false : present({ imageId: usable.id } satisfies UploadImageOutput);
  },
  apply: async (context) => {
    const { openStack, input, run, packages, settings } = context;
    const { image, vnfPkgId, sha256 } = input;
    const { size, bytes } = await packages.open(vnfPkgId, image.path, run.signal);
    const seen = new SeenBytes(sha256);
    const imageId = await emptyImage(context);
    const active = await openStack.glance.upload(imageId, {
      bytes: () => seen.watch(bytes()),
      length: size,
      checksum: image.checksum,
      movesWithin: settings.imageMovesWithin,
      sent: (sent) => run.progress(`${inMiB(sent)} of ${inMiB(size)} MiB sent`),
      activeWithin: minutes(10),
    });
    seen.compare(image.name);
    if (active.sizeBytes !== undefined && active.sizeBytes !== size) {
      const detail = `Glance has ${active.sizeBytes} bytes of image ${image.name}, the package ${size}`;
      throw new TerminalError('image.wrong-size', detail);
    }
    await openStack.glance.addTag(imageId, COMPARED_TAG);
    return { imageId } satisfies UploadImageOutput;
  },
  // The cancel ended the request. An image with only part of its bytes is useless.
  stop: async (context) => {
    const { glance } = uninterruptedByCancel(context);
    for (const { id, status, tags } of await imagesFor({ glance }, context.input.imageId))
      if (HALF_WAY.includes(status) && isOurs(context.input, tags)) await glance.deleteImage(id);
    return true;
  },
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

/** An image without bytes. Bytes can be sent once, so what an upload that died or was stopped has left is deleted first. */
async function emptyImage(context: Share): Promise<string> {
  const { openStack, input, run } = context;
  const there = await imagesFor(openStack, input.imageId);
  for (const image of there) requireOwnImage(tagsOf(input), image);
  const queued = there.find(({ status }) => status === 'queued');
  for (const image of there) if (image.id !== queued?.id && isUseless(image, input)) await openStack.glance.deleteImage(image.id);
  if (queued !== undefined) return queued.id;
  try {
    return await makeImage(context, input.imageId);
  } catch (error) {
    if (!isThere(error)) throw error;
    return makeImage(context, derivedId(input.imageId, `${run.operationId} ${run.epoch}`));
  }
}

const isCompared = (found: Image, { image: { checksum } }: ShareImageInput): boolean =>
  found.tags.includes(COMPARED_TAG) && !contradicts(found, checksum);

/** Whether an image can be deleted: no instance was ever told its id. */
const isUseless = (found: Image, input: ShareImageInput): boolean =>
  HALF_WAY.includes(found.status) || (found.status === 'active' && !isCompared(found, input));

const makeImage = ({ openStack, input }: Share, id: string): Promise<string> =>
  imageWithoutBytes(openStack, { id, image: input.image, tags: tagsOf(input) });

/** Hashes the bytes that pass, and compares the hash with the file's on the record. */
class SeenBytes {
  #digest: string | undefined;

  constructor(private readonly sha256: string) {}

  watch(source: Readable): Readable {
    const hash = createHash('sha256');
    const through = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        hash.update(chunk);
        done(null, chunk);
      },
      flush: (done) => {
        this.#digest = hash.digest('hex');
        done();
      },
    });
    // An error of the source destroys what it is read through, and so reaches the request.
    return pipeline(source, through, () => undefined);
  }

  /** @throws TerminalError `image.wrong-bytes`: the archive is not the one that was onboarded */
  compare(name: string): void {
    if (this.#digest === this.sha256.toLowerCase()) return;
    throw new TerminalError(
      'image.wrong-bytes',
      `the bytes of image ${name} that were sent have sha256 ${this.#digest ?? 'unknown'}, those that were onboarded ${this.sha256}: onboard the package again`,
    );
  }
}
