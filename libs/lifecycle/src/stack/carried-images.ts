import { derivedId, type SagaContext } from '../operation/operation-saga.js';
import type { CarriedImage, PackagedImage } from '../records/shared-image.js';

/** Images of the flavour whose bytes the package carries; others are in the VIM already, by their name. */
export function imagesOf({ package: { model, files }, flavourId }: Pick<SagaContext, 'package' | 'flavourId'>): PackagedImage[] {
  const flavour = model.flavours.find(({ id }) => id === flavourId);
  return [...(flavour?.vdus ?? []), ...(flavour?.storages ?? [])].flatMap(({ id, image }) => {
    if (image?.file?.kind !== 'member' || !image.file.present) return [];
    const { name, checksum, containerFormat, diskFormat, minDisk, minRam } = image;
    const { path } = image.file;
    const size = files.find((file) => file.path === path)?.size ?? image.size;
    return [{ vduId: id, name, path, checksum, containerFormat, diskFormat, minDisk, minRam, size }];
  });
}

/** The same, each once however many nodes want it. Undefined where there are none, or where the record lacks the hash of a file. */
export function carriedImages(context: Pick<SagaContext, 'package' | 'flavourId'>): CarriedImage[] | undefined {
  const found = new Map<string, CarriedImage>();
  for (const image of imagesOf(context)) {
    const sha256 = context.package.files.find(({ path }) => path === image.path)?.sha256 ?? '';
    if (sha256 === '') return undefined;
    const { vduId, ...same } = image;
    const key = JSON.stringify(same);
    const known = found.get(key);
    if (known === undefined) found.set(key, { nodes: [vduId], image, sha256 });
    else known.nodes.push(vduId);
  }
  return found.size === 0 ? undefined : [...found.values()];
}

/** Ids that the images of an instance have, by VDU or storage: they stand in the order of the model. */
export function imageRefsOf(context: Pick<SagaContext, 'package' | 'flavourId' | 'instance'>): Record<string, string> {
  const { id, instantiated } = context.instance;
  const refs = imagesOf(context).map(({ vduId }, index) => [vduId, instantiated?.images[index] ?? firstImageId(id, vduId)]);
  return Object.fromEntries(refs) as Record<string, string>;
}

/** The id that an image has unless there was one before. */
export const firstImageId = (vnfInstanceId: string, vduId: string): string => derivedId(vnfInstanceId, `image ${vduId}`);
