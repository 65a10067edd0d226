import type { OperationRecord, StepRecord } from '@windlass/saga';

/** The names are few, and an operation of a big cluster has hundreds of steps. */
function remembered(of: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name) ?? of(name);
    known.set(name, found);
    return found;
  };
}

/** Columns are the members in snake case; both directions derive from the member names alone. */
export const snake = remembered((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
export const camel = remembered((name) => name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()));

export const rowOf = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [snake(key), value]));

function recordOf(row: Record<string, unknown>): object {
  const record: Record<string, unknown> = {};
  for (const column in row) record[camel(column)] = row[column];
  return record;
}

export const operationOf = (row: Record<string, unknown>): OperationRecord => recordOf(row) as OperationRecord;
export const stepOf = (row: Record<string, unknown>): StepRecord => recordOf(row) as StepRecord;

export const STEP_COLUMNS = [
  'operation_id',
  'id',
  'seq',
  'parent_id',
  'action',
  'version',
  'service',
  'target',
  'deps',
  'limit_keys',
  'groups',
  'traits',
  'phase',
  'state',
  'epoch',
  'owner',
  'lease_until',
  'attempt',
  'attempt_epoch',
  'resumed',
  'losses',
  'ever_claimed',
  'recheck',
  'next_attempt_at',
  'dispatch_by',
  'rung_at',
  'rings',
  'blocked_on',
  'waiting_epoch',
  'result_epoch',
  'progress',
  'error',
  'started_at',
  'ended_at',
] as const;

/** What changes after a step was inserted. */
export const MUTABLE_STEP_COLUMNS = STEP_COLUMNS.slice(STEP_COLUMNS.indexOf('phase'));
