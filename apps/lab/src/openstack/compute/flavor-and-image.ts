import type { Flavor, Image } from '../state/state.js';
import { computeError } from '../http/nova-errors.js';

/** GiB of a flavor or of `min_disk` in bytes, as Nova compares and prints them. */
const inBytes = (gibibytes: number): number => gibibytes * 2 ** 30;

/**
 * Nova's look at a server's flavor and image (`nova.compute.api`, `_validate_flavor_image_nostatus`): `min_ram`, and on a local disk the image's
 * size and `min_disk`; a flavor whose disk is 0 takes any. Cinder has compared a volume's size already.
 * @throws HttpFailure 400
 */
export function requireFit(flavor: Flavor, image: Image | undefined, onVolume: boolean): void {
  if (image === undefined) return;
  if (flavor.ram < image.minRam) throw computeError(400, "Flavor's memory is too small for requested image.");
  const disk = inBytes(flavor.disk);
  if (onVolume || disk === 0) return;
  if ((image.size ?? 0) > disk) {
    const reason = `Flavor disk is ${disk} bytes, image is ${image.size ?? 0} bytes.`;
    throw computeError(400, `Flavor's disk is too small for requested image. ${reason}`);
  }
  if (inBytes(image.minDisk) > disk) {
    const reason = `Flavor disk is ${disk} bytes, minimum size is ${inBytes(image.minDisk)} bytes.`;
    throw computeError(400, `Flavor's disk is smaller than the minimum size specified in image metadata. ${reason}`);
  }
}
