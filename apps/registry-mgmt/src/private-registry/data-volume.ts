import type { Vnfc, VnfcVolume } from '@windlass/mgmt-driver';

/** What a VM boots from is its first disk, whatever the virtualisation calls it. */
const FIRST_DISK = /^\/dev\/(?:v|s|xv|h)da$/;

/** The volume that a registry's images lie on: the first that the VM does not boot from. Undefined where it has none. */
export const dataVolume = ({ volumes = [] }: Vnfc): VnfcVolume | undefined =>
  volumes.find(({ resourceId, device }) => resourceId !== '' && !(device !== null && FIRST_DISK.test(device)));
