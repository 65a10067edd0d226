import { RequestCheck } from '@windlass/driver-kit';
import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { checkAccess, whatIsOpen } from './check-access.js';
import { PARAM, portOf, registryParams, registrySchema, type RegistryParams } from './parameters.js';

const LAST_PORT = 65_535;

/** What the schema can't know of an instantiation: the VNFD's CPs and the package's files. */
export function checkInstantiation(request: ValidateRequest): ValidateReply {
  const check = new RequestCheck(request, PARAM);
  const params = registryParams(request.requestParams);
  check.unknownNames(registrySchema);
  const vdu = check.cpVdu('/ssh_cp_name', params.ssh_cp_name);
  checkListening(check, request, params, vdu);
  check.user('/ssh_username', params.ssh_username);
  const port = portOf(params);
  if (port < 1 || port > LAST_PORT) check.wrong('/port_no', `${port} is no TCP port: one from 1 to ${LAST_PORT} was expected`);
  if (params.image_path !== undefined && check.file('/image_path', params.image_path)?.size === 0)
    check.wrong('/image_path', `${params.image_path} is empty in the package: a file made by docker save was expected`);
  if (params.image_path !== undefined && params.registry_image !== undefined)
    check.warn('registry_image is passed over: image_path names an image of the package');
  checkAccess(check, params);
  const open = whatIsOpen(params);
  if (open !== undefined) check.warn(open);
  return check.reply();
}

/** Where the registry will listen, as far as the VNFD says: see `listenAddress`. */
function checkListening(
  check: RequestCheck,
  { flavour }: ValidateRequest,
  { registry_cp_name: named, ssh_cp_name: ssh }: RegistryParams,
  vdu: string | undefined,
): void {
  if (named !== undefined) {
    const other = check.cpVdu('/registry_cp_name', named);
    if (vdu !== undefined && other !== undefined && vdu !== other)
      check.wrong('/registry_cp_name', `belongs to VDU ${other}, ssh_cp_name ${ssh} to VDU ${vdu}: both must be the registry's`);
    return;
  }
  const cps = vdu === undefined ? [] : flavour.cps.filter((cp) => cp.vdu === vdu);
  if (cps.length > 1)
    check.warn(
      `the registry listens at the addresses of all of ${cps.map(({ id }) => id).join(', ')}: registry_cp_name would name the one whose address alone it is to listen at`,
    );
}
