import { HttpFailure } from '../http/answer.js';
import { requestId } from '../state/ids.js';

/** Types for which Neutron's Python client has an exception of its own; the others are told by their status. */
const OWN_EXCEPTION = [
  'NetworkNotFound',
  'PortNotFound',
  'NetworkInUse',
  'PortInUse',
  'IpAddressInUse',
  'IpAddressAlreadyAllocated',
  'InvalidIpForNetwork',
  'InvalidIpForSubnet',
  'OverQuota',
  'IpAddressGenerationFailure',
  'MacAddressInUse',
  'ExternalIpAddressExhausted',
];
const BY_STATUS: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
};

/** Neutron's refusal: `{"NeutronError": {type, message, detail}}`. */
export function neutronError(status: number, type: string, message: string): HttpFailure {
  const exception = OWN_EXCEPTION.includes(type) ? `${type}Client` : (BY_STATUS[status] ?? 'InternalServerError');
  const told = `${message}\nNeutron server returns request_ids: ['${requestId()}']`;
  return new HttpFailure(status, told, { NeutronError: { type, message, detail: '' } }, {}, exception);
}

export const notFound = (kind: string, id: string): HttpFailure =>
  neutronError(404, `${kind}NotFound`, `${kind === 'FloatingIP' ? 'Floating IP' : kind} ${id} could not be found.`);

export const badRequest = (message: string): HttpFailure => neutronError(400, 'HTTPBadRequest', message);

export const badInput = (message: string): HttpFailure =>
  neutronError(400, 'InvalidInput', `Invalid input for operation: ${message}.`);

export const inUse = (type: string, message: string): HttpFailure => neutronError(409, type, message);
