import { isJsonObject, type Json } from '@windlass/foundation';
import type { Outcome } from './chaos-client.js';
import type { InstanceView, RequestedOperation } from './walk.js';

/**
 * Whether a 400 for named VNFCs is right: the request names each VNFC of the refusal, none of them is on
 * the instance's present record, and the refusal has no other reason.
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
