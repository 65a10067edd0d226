import type { SagaMachine } from '../engine/machine.js';
import type { StepOutcome } from '../engine/outcome.js';
import { FINAL_STATUSES, type StepRecord } from '../engine/records.js';
import type { CompiledPlan } from '../plan/compile.js';
import { PAYLOAD_KINDS, type JournalTransaction } from '../ports.js';

/** Writes what a step's result has brought; `grafted`: whether its plan is the one that stands. */
export async function keepPayloads(
  tx: JournalTransaction,
  step: StepRecord,
  outcome: StepOutcome,
  grafted: boolean,
): Promise<void> {
  if (outcome.kind === 'done' && outcome.output !== undefined && step.phase === 'do')
    await tx.writePayload(step.id, 'output', outcome.output);
  if (outcome.kind === 'expand' && grafted) await keepPlan(tx, step.id, outcome.plan);
}

/**
 * What nobody can use any more is removed in the transaction that made it so: past the pivot the inputs kept for undoing, and with the
 * operation's end, after the owner has read what it needs, all.
 */
export async function dropUnused(tx: JournalTransaction, machine: SagaMachine, couldRollBack: boolean): Promise<void> {
  if (FINAL_STATUSES.includes(tx.operation.status)) {
    if (machine.effects.statuses.length > 0) await tx.dropPayloads(PAYLOAD_KINDS);
  } else if (couldRollBack && machine.claimedPivot() !== undefined) await tx.dropPayloads(['resolved']);
}

/** Writes the inputs of a plan's steps, and what they have in common. */
export async function keepPlan(tx: JournalTransaction, parentId: string, plan: CompiledPlan): Promise<void> {
  await tx.writePayload(parentId, 'common', plan.common);
  for (const step of plan.steps) await tx.writePayload(step.id, 'input', step.input);
}
