import { RequestCheck } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { ValidateReply, ValidateRequest, Vnfc } from '@windlass/mgmt-driver';
import { dataVolume } from './data-volume.js';
import { expiryOf } from './certificate.js';
import { checkAccess } from './check-access.js';
import { accessParams, PARAM, registryParams, type AccessParams, type RegistryParams } from './parameters.js';
import { isRegistry } from './registry-vms.js';

/** The parameters of a heal that say whether volumes are replaced with their VMs; without either they are. */
const INCLUDES_STORAGE = 'tacker_extension_heal_include_block_storage';
const ALL = 'all';

/**
 * Says before a heal what it costs. A volume with images stays unless the request says otherwise, although the default without a word is to replace
 * it. Images on the VM's own disk are lost with the VM.
 */
export function checkHeal(request: ValidateRequest): ValidateReply {
  const { instance, instantiateParams, requestParams } = request;
  const { vnfcs = [], heal } = instance ?? {};
  const params = registryParams(instantiateParams);
  const check = new RequestCheck(request, PARAM);
  const healed = vnfcs.filter(({ id }) => heal?.vnfcIds.includes(id) === true).filter(isRegistry(params));
  const keeps = heal?.recreates !== true && !saysReplaced(requestParams) && healed.some((vm) => dataVolume(vm) !== undefined);
  checkAccess(check, accessParams(requestParams));
  if (healed.length > 0) warnOfAccess(check, params, accessParams(requestParams));
  const { invalidParams, warnings } = check.reply();
  const told = healed.map((vm) => fate(vm, { keeps, recreates: heal?.recreates === true }));
  return {
    invalidParams,
    warnings: [...warnings, ...told],
    normalised: keeps && !says(requestParams) ? { [INCLUDES_STORAGE]: false } : {},
  };
}

/** A warning about logins and certificates: a heal's own count for that heal alone, and the instantiation's may be out of date. */
function warnOfAccess(check: RequestCheck, before: RegistryParams, given: AccessParams): void {
  if (given.registry_username !== undefined || given.tls_certificate !== undefined)
    check.warn(
      'login and certificate that a heal gives count until the next heal: one that does not repeat them takes those of the instantiation again',
    );
  if (given.tls_certificate !== undefined || before.tls_certificate === undefined) return;
  const expiry = expiryOf(before.tls_certificate);
  if (expiry !== undefined && expiry.getTime() <= Date.now())
    check.warn(
      `the certificate of the registry has expired at ${expiry.toISOString()}, and no client takes it: give the heal tls_certificate and tls_key`,
    );
}

const says = (params: JsonObject): boolean => typeof params[INCLUDES_STORAGE] === 'boolean' || typeof params[ALL] === 'boolean';

const saysReplaced = ({ [INCLUDES_STORAGE]: storage, [ALL]: all }: JsonObject): boolean =>
  typeof storage === 'boolean' ? storage : all === true;

function fate(vm: Vnfc, { keeps, recreates }: { keeps: boolean; recreates: boolean }): string {
  const images = `the images in the registry ${vm.name}`;
  const lost = 'are lost: push them again';
  const volume = dataVolume(vm);
  if (volume === undefined) return `${images} lie on its VM and ${lost}`;
  if (recreates)
    return `${images} lie on the volume ${volume.name}, which is made anew with the whole VNF, and ${lost}. To keep them name the VNFC, or set ${ALL} to false`;
  return keeps
    ? `${images} stay: the volume ${volume.name} is kept (${INCLUDES_STORAGE}: true would replace it)`
    : `${images} lie on the volume ${volume.name}, which the request replaces, and ${lost}`;
}
