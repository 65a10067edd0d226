import { HttpFailure } from './answer.js';
import { requestId } from '../state/ids.js';

const KINDS: Record<number, { member: string; client: string }> = {
  400: { member: 'badRequest', client: 'BadRequest' },
  403: { member: 'forbidden', client: 'Forbidden' },
  404: { member: 'itemNotFound', client: 'NotFound' },
  405: { member: 'badMethod', client: 'MethodNotAllowed' },
  406: { member: 'computeFault', client: 'NotAcceptable' },
  409: { member: 'conflictingRequest', client: 'Conflict' },
  413: { member: 'overLimit', client: 'OverLimit' },
  429: { member: 'overLimit', client: 'RateLimit' },
  500: { member: 'computeFault', client: 'ClientException' },
  503: { member: 'serviceUnavailable', client: 'ClientException' },
};

/** A refusal of Nova or Cinder: `{"itemNotFound": {code, message}}`. */
export function computeError(status: number, message: string): HttpFailure {
  const kind = KINDS[status] ?? { member: 'computeFault', client: 'ClientException' };
  const text = `${message} (HTTP ${status}) (Request-ID: ${requestId()})`;
  return new HttpFailure(status, text, { [kind.member]: { code: status, message } }, {}, kind.client);
}

export const policyForbids = (rule: string): HttpFailure => computeError(403, `Policy doesn't allow ${rule} to be performed.`);

export const invalidField = (field: string, value: string, problem: string): HttpFailure =>
  computeError(400, `Invalid input for field/attribute ${field}. Value: ${value}. ${problem}`);
