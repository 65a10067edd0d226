import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { registryParams } from './parameters.js';
import { isRegistry } from './registry-vms.js';

/** What a heal costs is told before anything happens: images that lie on the VM go with it. */
export function checkHeal({ instance, instantiateParams }: ValidateRequest): ValidateReply {
  const { vnfcs = [], heal } = instance ?? {};
  const healed = vnfcs
    .filter(({ id }) => heal?.vnfcIds.includes(id) === true)
    .filter(isRegistry(registryParams(instantiateParams)));
  const warnings = healed.map(
    ({ name }) => `the images in the registry ${name} lie on its VM and are lost with it: push them again`,
  );
  return { invalidParams: [], warnings, normalised: {} };
}
