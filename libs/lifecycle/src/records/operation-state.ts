import type { OperationTransition, OperationRecord } from '@windlass/saga';
import type { OperationState } from './records.js';

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

/**
 * The states that a transaction led through, in order. Where no service has anything left to do, what a task or the grant begins may end in the same
 * transaction: then the state that began (SOL003 5.6.2.2) is told before the final one.
 */
export function statesPassed(
  operation: OperationRecord,
  before: OperationState,
  { statuses, milestones }: Pick<OperationTransition, 'statuses' | 'milestones'>,
): OperationState[] {
  const led = (to: OperationRecord['status']): boolean =>
    statuses.some((status) => status.from === 'suspended' && status.to === to);
  const granted = milestones.length > 0 && before === 'STARTING' && operationStateOf(operation, before) !== 'STARTING';
  const through: OperationState | undefined =
    granted || (before === 'FAILED_TEMP' && led('running'))
      ? 'PROCESSING'
      : before === 'FAILED_TEMP' && led('rolling-back')
        ? 'ROLLING_BACK'
        : undefined;
  const now = operationStateOf(operation, through ?? before);
  const passed: OperationState[] = through === undefined ? [now] : [through, now];
  return passed.filter((state, n) => state !== (n === 0 ? before : passed[n - 1]));
}
