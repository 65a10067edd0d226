import type { OperationRecord } from '@windlass/saga';
import type { OperationState } from '../model/records.js';

/** The milestone that ends STARTING: the grant is given. */
export const PROCESSING = 'PROCESSING';

/**
 * SOL003's state of an operation (5.6.2) from where its saga stands and the state it was in.
 * A saga that stops keeps its state until the last step in flight has ended; rolling back before the grant is never seen.
 */
export function operationStateOf(operation: OperationRecord, before: OperationState): OperationState {
  const granted = operation.milestone !== null;
  switch (operation.status) {
    case 'accepted':
      return 'STARTING';
    case 'running':
      return granted ? 'PROCESSING' : 'STARTING';
    case 'rolling-back':
      return granted ? 'ROLLING_BACK' : 'STARTING';
    case 'stopping':
      return before;
    case 'suspended':
      return 'FAILED_TEMP';
    case 'completed':
      return 'COMPLETED';
    case 'rolled-back':
      return 'ROLLED_BACK';
    case 'abandoned':
      return 'FAILED';
  }
}
