import { RequestCheck } from '@windlass/driver-kit';
import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { PARAM, portOf, registryParams, registrySchema } from './parameters.js';

const LAST_PORT = 65_535;

/** What the schema can't know of an instantiation: the VNFD's CPs and the package's files. */
export function checkInstantiation(request: ValidateRequest): ValidateReply {
  const check = new RequestCheck(request, PARAM);
  const params = registryParams(request.requestParams);
  check.unknownNames(registrySchema);
  check.cpVdu('/ssh_cp_name', params.ssh_cp_name);
  check.user('/ssh_username', params.ssh_username);
  const port = portOf(params);
  if (port < 1 || port > LAST_PORT) check.wrong('/port_no', `${port} is no TCP port: one from 1 to ${LAST_PORT} was expected`);
  if (params.image_path !== undefined && check.file('/image_path', params.image_path)?.size === 0)
    check.wrong('/image_path', `${params.image_path} is empty in the package: a file made by docker save was expected`);
  return check.reply();
}
