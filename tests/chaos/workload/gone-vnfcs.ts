import { isJsonObject, type Json } from '@windlass/foundation';
import type { Outcome } from './chaos-client.js';
import type { InstanceView, RequestedOperation } from './walk.js';

/**
 * Whether a request was rightly refused with 400 for the VNFCs that it names: each that the answer complains of was named, and is not on
 * the instance's record as it is now; and it complains of nothing else.
 */
export function namesGoneVnfcs(
  { body }: RequestedOperation,
  outcome: Outcome & { kind: 'answered' },
  { vnfcIds }: Pick<InstanceView, 'vnfcIds'>,
): boolean {
  const { invalidParams } = outcome.body;
  const named = body.vnfcInstanceId;
  if (outcome.status !== 400 || !Array.isArray(named) || !Array.isArray(invalidParams)) return false;
  const isGone = (param: Json): boolean => {
    const [, index] = /^\/vnfcInstanceId\/(\d+)$/.exec(isJsonObject(param) ? String(param.path) : '') ?? [];
    const id = index === undefined ? undefined : named[Number(index)];
    return typeof id === 'string' && !vnfcIds.includes(id);
  };
  return invalidParams.length > 0 && invalidParams.every(isGone);
}
