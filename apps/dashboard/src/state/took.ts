import type { Step } from '../api/types.js';
import { durationText } from './words.js';

/**
 * How long a step took, or takes up to now: only what runs has a time that rises. A plan that a step became takes as long as its steps, and its time
 * stands while none of them runs.
 * @param steps in the order of the tree: each after the one whose plan it stands in
 */
export function tookText(step: Step, steps: readonly Step[], now: number): string {
  const { startedAt, state } = step;
  if (startedAt === null) return '';
  const until = state === 'expanded' ? untilOf(step, steps, now) : endOf(step, now);
  return until === undefined ? '' : durationText(until - Date.parse(startedAt));
}

const endOf = ({ endedAt, state }: Step, now: number): number | undefined => {
  if (endedAt !== null) return Date.parse(endedAt);
  return state === 'running' ? now : undefined;
};

/** When the last of the steps of its plan ended; now while one runs. */
function untilOf({ id, depth, startedAt, endedAt }: Step, steps: readonly Step[], now: number): number {
  let until = Date.parse(endedAt ?? startedAt ?? '');
  const begin = steps.findIndex((step) => step.id === id) + 1;
  if (begin === 0) return until;
  for (let at = begin; at < steps.length; at++) {
    const step = steps[at];
    if (step === undefined || step.depth <= depth) break;
    until = Math.max(until, endOf(step, now) ?? 0);
  }
  return until;
}
