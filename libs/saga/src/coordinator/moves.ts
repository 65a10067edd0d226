import type { SagaMachine } from '../engine/machine.js';
import type { StepRecord } from '../engine/records.js';
import { looksFirst } from '../engine/step-records.js';
import type { JournalTransaction } from '../ports.js';
import type { ClaimRequest, NextWanted } from './messages.js';
import type { RunningCounts } from './running-counts.js';

/** What a transaction is about: what is done to the operation, under the lock of its row. */
export interface Move<T> {
  act: (machine: SagaMachine, tx: JournalTransaction, running: RunningCounts) => T | Promise<T>;
  /** The step that a worker claims: what limits it is counted before anything is done. */
  claims?: Pick<ClaimRequest, 'stepId' | 'actions'>;
  /** The claim whose result may bring another step: where it held no places, those of the next one are counted before anything is done. */
  goesOn?: { stepId: string; epoch: number };
  /** Whether nothing is done where another transaction holds the lock. */
  sweeping?: boolean;
  /** Whether other operations may share its commit: what workers ask for, and what begins. */
  beside?: boolean;
}

/** A step whose result has come, and who would go on. */
export interface Ended {
  step: StepRecord;
  wanted: NextWanted | undefined;
  /** How many wake-ups were to be sent before the result; of one that was said before: undefined. */
  notified: number | undefined;
}

/** Steps that are ready and claimed, and whose claims take places. */
export const claimedPlaces = (machine: SagaMachine, moves: readonly Move<unknown>[]): StepRecord[] =>
  moves.flatMap(({ claims }) => {
    const step = claims && machine.graph.find(claims.stepId);
    return step?.state === 'ready' && !looksFirst(step, claims?.actions ?? []) ? [step] : [];
  });

/** Keys of steps that run and hold no places, whose results may bring a step that needs them. A key that no other step has is never needed. */
export const keysToGoOn = (machine: SagaMachine, moves: readonly Move<unknown>[]): string[] =>
  moves.flatMap(({ goesOn }) => {
    const step = goesOn && machine.graph.find(goesOn.stepId);
    if (step?.state !== 'running' || step.epoch !== goesOn?.epoch || !machine.waited(step, step.epoch)) return [];
    const others = new Set(machine.graph.steps.flatMap((other) => (other === step ? [] : other.limitKeys)));
    return step.limitKeys.filter((key) => others.has(key));
  });
