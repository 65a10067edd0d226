import type { OperationTransition, OperationRecord, OperationStatus } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import type { OperationState } from '../records/records.js';
import { PROCESSING, statesPassed } from '../records/operation-state.js';

const operation = (status: OperationStatus, milestone: string | null = PROCESSING): OperationRecord => ({
  id: 'op',
  kind: 'SCALE',
  tenant: 'default',
  status,
  stopsInto: null,
  milestone,
  cancel: null,
  failure: null,
  journalVersion: 1,
  statusSince: new Date(0),
});

/** A transaction that led through these statuses. */
const through = (...statuses: [OperationStatus, ...OperationStatus[]]): Pick<OperationTransition, 'statuses' | 'milestones'> => ({
  statuses: statuses.slice(1).map((to, n) => ({ from: statuses[n] ?? to, to })),
  milestones: [],
});

const told = (before: OperationState, ...statuses: [OperationStatus, ...OperationStatus[]]) =>
  statesPassed(operation(statuses.at(-1) ?? 'accepted'), before, through(...statuses));

describe('the states told of a transaction', () => {
  it('show ROLLING_BACK although there was nothing to undo', () => {
    expect(told('FAILED_TEMP', 'suspended', 'rolling-back', 'rolled-back')).toEqual(['ROLLING_BACK', 'ROLLED_BACK']);
  });

  it('show PROCESSING although a retry ended at once, well or not', () => {
    expect(told('FAILED_TEMP', 'suspended', 'running', 'completed')).toEqual(['PROCESSING', 'COMPLETED']);
    expect(told('FAILED_TEMP', 'suspended', 'running', 'stopping', 'suspended')).toEqual(['PROCESSING', 'FAILED_TEMP']);
    expect(told('FAILED_TEMP', 'suspended', 'running', 'stopping')).toEqual(['PROCESSING']);
  });

  it('show PROCESSING although the operation ended in the transaction of its grant', () => {
    const granted = { ...through('running', 'completed'), milestones: [PROCESSING] };
    expect(statesPassed(operation('completed'), 'STARTING', granted)).toEqual(['PROCESSING', 'COMPLETED']);
  });

  it('are the one that it is in now where nothing lay between, and none where it stays', () => {
    expect(told('FAILED_TEMP', 'suspended', 'rolling-back')).toEqual(['ROLLING_BACK']);
    expect(told('FAILED_TEMP', 'suspended', 'abandoned')).toEqual(['FAILED']);
    expect(told('PROCESSING', 'running', 'stopping')).toEqual([]);
    expect(told('PROCESSING', 'running', 'completed')).toEqual(['COMPLETED']);
  });
});
