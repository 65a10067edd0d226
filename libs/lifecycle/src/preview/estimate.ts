import type { PlannedNode, PlannedStep } from './planned-steps.js';

/** How long an action took, the last times that it was done here. */
export interface KnownDuration {
  /** The median. */
  seconds: number;
  /** How many times it is the median of. 0: nothing was measured, the request says how long it waits. */
  basedOn: number;
}

/** Durations of actions, by service and name. */
export interface KnownDurations {
  of(step: { service: string; action: string }): KnownDuration | undefined;
}

/** How long several steps take together. */
export interface Estimate {
  /** Of those that are known: the longest chain of steps that wait for each other. */
  seconds: number;
  /** Whether it takes longer, since nobody knows yet how long some of them take. */
  isLowerBound: boolean;
}

const NOTHING: Estimate = { seconds: 0, isLowerBound: false };

/** The longest chain. Where only some run side by side, it is no shorter than their sum shared out. */
export function estimateOf(node: PlannedNode): Estimate {
  if (node.kind === 'step') return estimateOfStep(node);
  const parts = node.of.map(estimateOf);
  const isLowerBound = parts.some((part) => part.isLowerBound);
  const seconds = parts.map((part) => part.seconds);
  const sum = seconds.reduce((all, each) => all + each, 0);
  if (node.kind === 'sequence') return { seconds: sum, isLowerBound };
  const shared = node.limit === undefined ? 0 : sum / node.limit;
  return { seconds: Math.max(shared, ...seconds), isLowerBound };
}

/** A hook takes as long as the plan that it becomes. */
function estimateOfStep({ hook, duration }: PlannedStep): Estimate {
  if (hook !== undefined) return hook.plan === undefined ? { ...NOTHING, isLowerBound: true } : estimateOf(hook.plan);
  return duration === null ? { ...NOTHING, isLowerBound: true } : { seconds: duration.seconds, isLowerBound: false };
}
