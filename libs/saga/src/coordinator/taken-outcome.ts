import { TransientError, WindlassError } from '@windlass/foundation';
import { reportError } from '../engine/error-report.js';
import type { StepOutcome } from '../engine/outcome.js';
import type { StepRecord } from '../engine/records.js';
import { compileBounded, compilePlan, type CompiledPlan } from '../plan/compile.js';
import type { Plan } from '../plan/plan.js';
import type { JournalTransaction, OperationOwner } from '../ports.js';
import type { WorkerOutcome } from './messages.js';

/**
 * What a worker says, as it may be journaled: a plan compiled within its bounds, a contribution that the owner has looked at. What is
 * refused is the fault of whoever said it, told at the step; a retry of the operation runs the step again.
 * @throws TransientError and what is no error of ours: it says nothing about the outcome
 */
export async function takenOutcome(
  tx: JournalTransaction,
  owner: OperationOwner,
  step: StepRecord,
  outcome: WorkerOutcome,
): Promise<StepOutcome> {
  try {
    if (outcome.kind === 'expand') return { kind: 'expand', plan: await compiled(tx, owner, step, outcome.plan) };
    if (outcome.kind === 'done' && step.phase === 'do' && step.traits.contributes === true && outcome.output !== undefined)
      await owner.checkContribution(tx, step, outcome.output);
    return outcome;
  } catch (error) {
    if (!(error instanceof WindlassError) || error instanceof TransientError) throw error;
    return { kind: 'failed', error: reportError(error), retry: { attempts: 1, backoff: 0 } };
  }
}

async function compiled(tx: JournalTransaction, owner: OperationOwner, step: StepRecord, plan: Plan): Promise<CompiledPlan> {
  const bounds = await owner.boundsOf(tx, step);
  return bounds === undefined ? compilePlan(plan, step.id) : compileBounded(plan, step.id, bounds);
}
