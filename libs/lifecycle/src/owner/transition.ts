import type { JournalTransaction, OperationTransition } from '@windlass/saga';
import { resourceChanges } from '@windlass/sol003';
import { beginRefresh } from '../shared-steps/clean-up/after-failure.js';
import { operationChange } from '../events/changes.js';
import { eventMessage, operationEvent, type LcmEvent } from '../events/events.js';
import type { OpOccRecord } from '../records/records.js';
import { definedFor } from '../operation/operation-definition.js';
import type { OperationTable } from '../operation/operation-table.js';
import type { LcmStore } from '../ports.js';
import { enterContributions } from '../operation/publish.js';
import { statesPassed } from '../records/operation-state.js';

/**
 * The one way an operation changes state: called in the engine's transaction, under the lock of the operation's row,
 * with what moved. Writes the occurrence, the events and what subscribers are to be told; who reads after an event sees at least its state.
 */
export async function transition(
  store: LcmStore,
  tx: JournalTransaction,
  move: OperationTransition,
  operations: OperationTable,
): Promise<void> {
  await store.stepsMoved(tx.handle, move.steps);
  const events: LcmEvent[] = [];
  if (move.statuses.length === 0 && move.milestones.length === 0) {
    await noteCancel(store, tx);
    await store.emit(tx.handle, events);
    return;
  }
  const opOcc = await store.opOcc(tx.handle, tx.operation.id);
  const passed = statesPassed(tx.operation, opOcc.operationState, move);
  for (const state of passed) {
    opOcc.operationState = state;
    opOcc.stateEnteredTime = tx.now;
    events.push(eventMessage(operationEvent(opOcc)));
  }
  if (['FAILED_TEMP', 'FAILED', 'ROLLED_BACK'].includes(opOcc.operationState))
    await enterContributions(tx, store, opOcc.vnfInstanceId, { stands: opOcc.operationState !== 'FAILED_TEMP' });
  if (tx.operation.status === 'abandoned' || tx.operation.status === 'rolled-back') {
    // An operation that only a newer release knows can be ended under this one, too.
    const known = operations.find(opOcc.operation);
    const definition = known === undefined ? undefined : definedFor(known, opOcc.draft.vim?.kind);
    const failed = { store, tx, opOcc };
    if (tx.operation.status === 'abandoned') await (definition?.afterFail ?? beginRefresh)(failed);
    else await definition?.afterRollBack?.(failed);
  }
  const { failure, cancel } = tx.operation;
  const shows = ['FAILED_TEMP', 'FAILED', 'ROLLED_BACK', 'ROLLING_BACK'].includes(opOcc.operationState);
  opOcc.error =
    failure === null || !shows
      ? null
      : {
          status: failure.status,
          detail: failure.detail,
          code: failure.code,
          ...(failure.title === undefined ? {} : { title: failure.title }),
        };
  await noteTouched(store, tx, opOcc);
  opOcc.isCancelPending = cancel !== null;
  opOcc.cancelMode = cancel;
  await store.saveOpOcc(tx.handle, opOcc);
  for (const operationState of passed) await store.notify(tx.handle, operationChange({ ...opOcc, operationState }));
  await store.emit(tx.handle, events);
}

/**
 * Records what an operation at FAILED_TEMP has done to the resources so far (SOL003 5.5.2.13, `resourceChanges`), as far as its last look at the VIM
 * shows. For operations that complete, the publication does this; a complete roll-back has changed nothing.
 */
async function noteTouched(store: LcmStore, tx: JournalTransaction, opOcc: OpOccRecord): Promise<void> {
  if (opOcc.operationState === 'ROLLED_BACK') opOcc.resourceChanges = null;
  const { instantiated } = opOcc.draft;
  if (opOcc.operationState !== 'FAILED_TEMP' || instantiated === undefined) return;
  const before = await store.instance(tx.handle, opOcc.vnfInstanceId);
  opOcc.resourceChanges = resourceChanges(before.instantiated?.info, instantiated.info) ?? null;
}

async function noteCancel(store: LcmStore, tx: JournalTransaction): Promise<void> {
  if (tx.operation.cancel === null) return;
  const opOcc = await store.opOcc(tx.handle, tx.operation.id);
  opOcc.isCancelPending = true;
  opOcc.cancelMode = tx.operation.cancel;
  await store.saveOpOcc(tx.handle, opOcc);
}
