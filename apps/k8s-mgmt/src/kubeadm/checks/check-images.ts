import { isJsonObject, type Json } from '@windlass/foundation';
import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { isSupportedUbuntu, UBUNTUS } from '../../node/supported-os.js';

/** `ubuntu-20.04-server-cloudimg-amd64`: which Ubuntu an image says in its name that it is. */
const UBUNTU = /ubuntu[^0-9]{0,9}(\d\d\.\d\d)/i;

/**
 * Why nodes of an image that the VNFD names can't become a cluster: without this check, an Ubuntu that Kubernetes is not installed on would be found
 * when the VMs are there. An image without a release in its name is checked on its VM, as is an image that the request gives.
 */
export function refusalOfImages({ flavour, requestParams }: ValidateRequest, vdus: readonly string[]): ValidateReply['refusal'] {
  for (const { vdu, name } of flavour.images ?? []) {
    const [, version] = UBUNTU.exec(name) ?? [];
    if (!vdus.includes(vdu) || version === undefined || isSupportedUbuntu(version) || isGivenAnother(requestParams.nfv, vdu))
      continue;
    const detail = `the VNFD makes ${vdu} of ${name}, and Kubernetes is not installed on Ubuntu ${version}: have the package name an image of Ubuntu ${UBUNTUS.join(' or ')}, or give one as additionalParams.nfv.VDU.${vdu}.image`;
    return { code: 'cluster.os-unsupported', detail };
  }
  return undefined;
}

/** Whether the request names an image of its own for a VDU, by either version's name of the parameter. */
function isGivenAnother(nfv: Json | undefined, vdu: string): boolean {
  const vdus = isJsonObject(nfv) && isJsonObject(nfv.VDU) ? nfv.VDU : {};
  const given = Object.hasOwn(vdus, vdu) ? vdus[vdu] : undefined;
  return isJsonObject(given) && (given.image ?? given.vcImageId) !== undefined;
}
