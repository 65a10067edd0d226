import type { Vnfc, VnfcVolume } from '@windlass/mgmt-driver';

/** The first disk, from which a VM boots, by each virtualisation's name. */
const FIRST_DISK = /^\/dev\/(?:v|s|xv|h)da$/;

/** The volume that a registry's images lie on: the first that the VM does not boot from. Undefined where it has none. */
export const dataVolume = ({ volumes = [] }: Vnfc): VnfcVolume | undefined =>
  volumes.find(({ resourceId, device }) => resourceId !== '' && !(device !== null && FIRST_DISK.test(device)));
