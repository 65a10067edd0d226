import { InvariantError, TerminalError } from '@windlass/foundation';
import { sequence, type JournalTransaction, type Plan } from '@windlass/saga';
import type { OpOccRecord } from '../records/records.js';
import { CLUSTER_HOOK, SNAPSHOTS_MEMBER } from '../operations/modify/cluster-request.js';
import { notesOf } from '../operation/contribution.js';
import { contributorOf } from '../operation/driver-bounds.js';
import { defineInlineAction } from '../operation/inline-run.js';
import { askStep, inlineStep } from '../operation/operation-saga.js';
import type { InternalRecord } from '../records/internal-operation.js';
import { internalAction, type InternalSagaContext } from './internal-saga.js';

/** Code of a snapshot that ended because an operation of the instance began. */
export const GAVE_WAY = 'snapshot.gave-way';

/**
 * The codes that the journal then has: the snapshot was cancelled, or its claim was refused because it may not go on while an operation is in flight.
 */
const WAYS_OF_YIELDING = ['operation.cancelled', 'claim.not-held'];

export const hasGivenWay = (code: string | undefined): boolean => code !== undefined && WAYS_OF_YIELDING.includes(code);

const concludeSnapshotAction = defineInlineAction('conclude-snapshot');

/** SNAPSHOT: asks the cluster's driver in the way of a modification of its snapshots (ADR 84), and checks that a snapshot was kept. */
export function snapshotPlan({ record }: InternalSagaContext<'SNAPSHOT'>): Plan {
  return {
    root: sequence(askStep(CLUSTER_HOOK, record.subject.driver, { internal: true }), inlineStep(concludeSnapshotAction, {})),
  };
}

/** Fails the saga, with the driver's words, where no snapshot was kept: the schedule then waits longer before the next. */
export const concludeSnapshot = internalAction<'SNAPSHOT'>()(concludeSnapshotAction, async ({ tx, store, record }) => {
  const notes = await notesIn(tx);
  if (await store.isSnapshotKept(tx.handle, record.id)) {
    record.outcome = { notes };
    return undefined;
  }
  const { driver } = record.subject;
  const unsaid = `the driver ${driver} planned none: its service is of an earlier release`;
  throw new TerminalError('snapshot.not-kept', notes.length === 0 ? unsaid : notes.join('; '));
});

async function notesIn(tx: JournalTransaction): Promise<string[]> {
  const notes: string[] = [];
  for (const step of tx.steps) {
    if (step.traits.contributes !== true || step.phase !== 'do' || step.state !== 'done') continue;
    notes.push(...notesOf(await tx.readPayload(step.id, 'output'), await contributorOf(tx, step)));
  }
  return notes;
}

/**
 * The occurrence that a driver, and the bounds of its plan, see in place of such a saga: that of the modification which a person asks for by `POST
 * .../snapshots`. It is never stored.
 */
export function snapshotOccurrence({ id, tenant, vnfInstanceId, createdAt, changedAt }: InternalRecord): OpOccRecord {
  if (vnfInstanceId === null) throw new InvariantError(`the snapshot ${id} is of no VNF instance`);
  return {
    id,
    tenant,
    vnfInstanceId,
    operation: 'MODIFY_INFO',
    operationState: 'PROCESSING',
    stateEnteredTime: changedAt,
    startTime: createdAt,
    isAutomaticInvocation: true,
    request: { [SNAPSHOTS_MEMBER]: 'take' },
    isCancelPending: false,
    cancelMode: null,
    error: null,
    resourceChanges: null,
    grantId: null,
    warnings: [],
    draft: {},
  };
}
