import { minutes, seconds, TerminalError, wholeGibibytes, wholeMebibytes } from '@windlass/foundation';
import {
  uploadImageAction,
  deleteImageAction,
  derivedId,
  imageTag,
  vnfTag,
  type UploadImageInput,
  type UploadImageOutput,
} from '@windlass/lifecycle';
import type { Image, OpenStack } from '@windlass/openstack';
import { present } from '@windlass/saga';
import { infraAction, isFirstClaim, type InfraContext } from './infra-context.js';
import { requireOwnImage } from './ownership.js';
import { uninterruptedByCancel } from './stop-stack.js';

type Upload = InfraContext<UploadImageInput>;

const isOwn = ({ vnfInstanceId }: UploadImageInput, tags: readonly string[]): boolean => tags.includes(vnfTag(vnfInstanceId));

/**
 * Uploads an image of the package to Glance, and compares its hash with the VNFD's. The archive, not the VNFD, gives the number of bytes. The image's
 * id is ours; where Glance has had an image of that id before, the id derives from ours and the claim.
 */
export const uploadImage = infraAction(uploadImageAction, {
  check: async (context) => {
    if (isFirstClaim(context.run)) return false;
    const image = await usableImage(context);
    return image === undefined ? false : present({ imageId: image.id } satisfies UploadImageOutput);
  },
  apply: async (context) => {
    const { openStack, input, run, packages, settings } = context;
    const { image, vnfPkgId } = input;
    const { size, bytes } = await packages.open(vnfPkgId, image.path, run.signal);
    const empty = await emptyImage(context);
    if (empty.isWhole === true) return { imageId: empty.id } satisfies UploadImageOutput;
    const imageId = empty.id;
    const active = await openStack.glance.upload(imageId, {
      bytes,
      length: size,
      checksum: image.checksum,
      movesWithin: settings.imageMovesWithin,
      sent: (sent) => run.progress(`${inMiB(sent)} of ${inMiB(size)} MiB sent`),
      activeWithin: minutes(10),
    });
    if (active.sizeBytes !== undefined && active.sizeBytes !== size) {
      throw new TerminalError(
        'image.wrong-size',
        `Glance has ${active.sizeBytes} bytes of image ${image.name}, the package ${size}`,
      );
    }
    return { imageId } satisfies UploadImageOutput;
  },
  // The cancel ended the request. An image with only part of its bytes is useless.
  stop: async (context) => {
    const { glance } = uninterruptedByCancel(context);
    const images = await imagesFor({ glance }, context.input.imageId);
    for (const { id, status, tags } of images)
      if (status !== 'active' && isOwn(context.input, tags)) await glance.deleteImage(id);
    return true;
  },
  undo: async ({ openStack, input }) => {
    for (const { id, tags } of await imagesFor(openStack, input.imageId))
      if (isOwn(input, tags)) await openStack.glance.deleteImage(id);
  },
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

export const inMiB = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1);

/** Whether an active image's hash contradicts the VNFD's: the worker that uploaded it may have died before it compared them. */
export const contradicts = (
  { hashAlgorithm, hash }: Image,
  { algorithm, hash: declared }: Upload['input']['image']['checksum'],
): boolean => hash !== undefined && hashAlgorithm === algorithm.toLowerCase().replace('-', '') && hash !== declared.toLowerCase();

/** The image of that id, and those that were made in its place. */
export async function imagesFor({ glance }: Pick<OpenStack, 'glance'>, imageId: string): Promise<Image[]> {
  const [first, others] = await Promise.all([glance.getImage(imageId), glance.findImages({ tag: imageTag(imageId) })]);
  return [...(first === undefined ? [] : [first]), ...others.filter(({ id }) => id !== imageId)];
}

/** The image of this instance that has its bytes, and those that the VNFD names. */
const usableImage = async ({ openStack, input }: Upload): Promise<Image | undefined> =>
  (await imagesFor(openStack, input.imageId)).find(
    (found) => found.status === 'active' && isOwn(input, found.tags) && !contradicts(found, input.image.checksum),
  );

/**
 * An image without bytes. A first attempt makes it at once: nobody has before, or its check has just looked. Where Glance has, or has had, an image of that id
 * all the same, left by an earlier operation of the instance, it refuses (409), and then it is looked for. @returns `isWhole`: one that has its bytes
 */
async function emptyImage(context: Upload): Promise<{ id: string; isWhole?: true }> {
  const { run, input } = context;
  if (run.attempt > 1 || run.resumed) return { id: await foundOrMade(context) };
  try {
    return { id: await makeImage(context, input.imageId) };
  } catch (error) {
    if (!isThere(error)) throw error;
    const usable = isFirstClaim(run) ? await usableImage(context) : undefined;
    return usable === undefined ? { id: await foundOrMade(context) } : { id: usable.id, isWhole: true };
  }
}

/** Finds or makes the image without bytes. Bytes can be sent once, so an image that got some of them in a dead attempt is deleted and made again. */
async function foundOrMade(context: Upload): Promise<string> {
  const { openStack, input, run } = context;
  const there = await imagesFor(openStack, input.imageId);
  for (const image of there) requireOwnImage([vnfTag(input.vnfInstanceId)], image);
  const queued = there.find(({ status }) => status === 'queued');
  for (const { id } of there) if (id !== queued?.id) await openStack.glance.deleteImage(id);
  if (queued !== undefined) return queued.id;
  try {
    return await makeImage(context, input.imageId);
  } catch (error) {
    if (!isThere(error)) throw error;
    return makeImage(context, derivedId(input.imageId, `${run.operationId} ${run.epoch}`));
  }
}

export const isThere = (error: unknown): boolean => error instanceof TerminalError && error.code === 'glance.image-exists';

function makeImage({ openStack, input }: Upload, id: string): Promise<string> {
  const { image, vnfInstanceId, imageId, tags = [] } = input;
  return imageWithoutBytes(openStack, { id, image, tags: [vnfTag(vnfInstanceId), imageTag(imageId), ...tags] });
}

/** Makes an image of a package in Glance, to which bytes can be sent once. @returns its id */
export async function imageWithoutBytes(
  { glance }: Pick<OpenStack, 'glance'>,
  { id, image, tags }: { id: string; image: UploadImageInput['image']; tags: readonly string[] },
): Promise<string> {
  await glance.createImage({
    id,
    name: image.name,
    diskFormat: image.diskFormat,
    containerFormat: image.containerFormat,
    minDiskGiB: wholeGibibytes(image.minDisk),
    minRamMiB: wholeMebibytes(image.minRam),
    tags: ['windlass', ...tags],
  });
  return id;
}

/** Deletes an image that an instance uploaded, and its replacements. An absent image counts as deleted; somebody else's image is refused. */
export const deleteImage = infraAction(deleteImageAction, {
  apply: async ({ openStack, input: { imageId, tags = [] } }) => {
    const images = await imagesFor(openStack, imageId);
    for (const image of images) requireOwnImage(tags, image);
    for (const { id } of images) await openStack.glance.deleteImage(id);
    return undefined;
  },
  retry: { attempts: 4, backoff: seconds(2), growth: 2 },
});
