import { defineAction, outputOf, stepCalled, stepOf, type PlanNode } from '@windlass/saga';
import { takeGrant } from './take-grant.js';
import { grantAction, type GrantInput } from './grant-actions.js';
import type { InlineRun } from '../../operation/inline-run.js';
import { COORDINATOR_SERVICE } from '../../records/services.js';

/** Waits until the time that a graceful end was given is over, ISO 8601. */
export const awaitGraceAction = defineAction<{ until: string }>({
  service: COORDINATOR_SERVICE,
  name: 'await-grace',
  version: 1,
});

/**
 * The wait of an operation that is graceful, none where there is nothing to wait for. Its end was set by the grant and stands in the journal, so
 * that a crash doesn't begin it anew.
 * @param graceSeconds undefined where the operation is not graceful
 */
export function awaitGraceStep(graceSeconds: number | undefined): PlanNode | undefined {
  if (graceSeconds === undefined || graceSeconds <= 0) return undefined;
  const until = outputOf(stepCalled(grantAction), (grant) => grant.graceUntil);
  return stepOf(awaitGraceAction, { input: { until }, traits: { undoable: false } });
}

/** The grant. From it the time of a graceful end runs. */
export async function grantWithGrace(
  run: InlineRun<GrantInput>,
  graceSeconds: number | undefined,
): Promise<{ graceUntil?: string }> {
  await takeGrant(run);
  const {
    tx,
    store,
    context: { opOcc },
  } = run;
  if (graceSeconds === undefined) return {};
  opOcc.draft.graceUntil = new Date(tx.now.getTime() + graceSeconds * 1_000).toISOString();
  await store.saveOpOcc(tx.handle, opOcc);
  return { graceUntil: opOcc.draft.graceUntil };
}
