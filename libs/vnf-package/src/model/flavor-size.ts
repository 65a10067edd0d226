import { bytes, wholeGibibytes, wholeMebibytes, type Bytes, type Gibibytes, type Mebibytes } from '@windlass/foundation';
import type { Flavour, Vdu } from './model.js';

/** What a Nova flavor must have. */
export interface FlavorSize {
  vcpus: number;
  ramMiB: Mebibytes;
  diskGiB: Gibibytes;
}

const NONE = bytes(0);
const larger = (...sizes: (Bytes | undefined)[]): Bytes => bytes(Math.max(...sizes.map((size) => size ?? NONE)));

/**
 * The least flavor that a VDU runs on: what the VNFD says of its size, and what the image that it boots from asks for. A server that boots
 * from a volume needs no disk of the flavor's for its image.
 */
export function flavorSize({ storages, baseHot }: Flavour, vdu: Vdu): FlavorSize {
  const ofVolume = vdu.storageIds.flatMap((id) => storages.find((storage) => storage.id === id)?.image ?? [])[0];
  const bootsFromVolume =
    baseHot?.nfvReferences.some(
      ({ section, name, attribute }) => section === 'VDU' && name === vdu.id && attribute === 'image',
    ) !== true;
  const image = bootsFromVolume ? (ofVolume ?? vdu.image) : vdu.image;
  return {
    vcpus: vdu.virtualCpus ?? 1,
    ramMiB: wholeMebibytes(larger(vdu.memoryBytes, image?.minRam)),
    diskGiB: wholeGibibytes(larger(vdu.diskBytes, bootsFromVolume ? NONE : image?.minDisk)),
  };
}
