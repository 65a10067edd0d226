import { pathOf } from '../api/client.js';
import type { OpOcc } from '../api/types.js';

/** Ids that are asked for at once: the address of a request has an end. */
const AT_ONCE = 50;

/** What is asked of an operation that waits for a decision: of an instance there is one at most. */
export type FailedOperation = Pick<OpOcc, 'id' | 'vnfInstanceId' | 'operation'>;

/** The lists to be asked for: those of these instances' operations that wait for a decision (SOL003 5.4.12, SOL013 5.2). */
export function failedOperationPaths(instanceIds: readonly string[]): string[] {
  const parts = Array.from({ length: Math.ceil(instanceIds.length / AT_ONCE) }, (_, at) =>
    instanceIds.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
  return parts.map((ids) =>
    pathOf('/vnflcm/v1/vnf_lcm_op_occs', {}, { filter: `(eq,operationState,FAILED_TEMP);(in,vnfInstanceId,${ids.join(',')})` }),
  );
}

/** The operation that waits, by the instance's id. */
export const failedByInstance = (operations: readonly FailedOperation[]): ReadonlyMap<string, FailedOperation> =>
  new Map(operations.map((each) => [each.vnfInstanceId, each]));
