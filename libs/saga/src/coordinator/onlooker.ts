import type { SagaMachine } from '../engine/machine.js';
import { FINAL_STATUSES, type OperationRecord } from '../engine/records.js';
import type { LostClaim } from '../engine/transitions.js';

/** Who counts what coordinators do. It must not throw; of a coordinator that dies after the commit it hears nothing. */
export interface CoordinatorOnlooker {
  /** The operation is final now. */
  ended(operation: OperationRecord): void;
  /** A lease ran out: whoever held it did not renew it in time. */
  lost(claim: LostClaim): void;
}

/** Tells of what was committed. */
export function tellOnlooker(onlooker: CoordinatorOnlooker | undefined, { operation, effects }: SagaMachine): void {
  if (onlooker === undefined) return;
  for (const claim of effects.lost) onlooker.lost(claim);
  if (effects.statuses.some(({ to }) => FINAL_STATUSES.includes(to))) onlooker.ended(operation);
}
