import type { UploadImageInput } from './infra-actions.js';
import type { SagaContext } from '../operation/operation-saga.js';
import type { CarriedImage } from '../records/shared-image.js';

/** Images of the flavour whose bytes the package carries; others are in the VIM already, by their name. */
export function imagesOf({
  package: { model, files },
  flavourId,
}: Pick<SagaContext, 'package' | 'flavourId'>): UploadImageInput['image'][] {
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
