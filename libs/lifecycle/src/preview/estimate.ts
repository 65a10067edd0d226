import type { PlannedNode, PlannedStep } from './planned-steps.js';

/** How long several steps take together. */
export interface Estimate {
  /** Of those that are known: the longest chain of steps that wait for each other. */
  seconds: number;
  /** Whether it takes longer, since nobody knows yet how long some of them take. */
  isLowerBound: boolean;
}

/** The duration of the longest chain. Where only some steps may run side by side, it is at least their sum divided by that number. */
export function estimateOf(node: PlannedNode): Estimate {
  const chain = new Chain();
  const seconds = chain.end(node, 0);
  return { seconds, isLowerBound: chain.isLowerBound };
}

/** Steps with the second at which each ends, if it begins as early as it may. */
class Chain {
  isLowerBound = false;
  readonly #ends = new Map<string, number>();

  /** When a node ends that may begin then. */
  end(node: PlannedNode, from: number): number {
    if (node.kind === 'step') return this.#endOfStep(node, from);
    if (node.kind === 'sequence') return node.of.reduce((before, child) => this.end(child, before), from);
    const ends = node.of.map((child) => this.end(child, from));
    const shared = node.limit === undefined ? 0 : ends.reduce((sum, end) => sum + end - from, 0) / node.limit;
    return Math.max(from + shared, ...ends);
  }

  #endOfStep(step: PlannedStep, from: number): number {
    const begins = Math.max(from, ...(step.after ?? []).map((id) => this.#ends.get(id) ?? 0));
    const end = begins + this.#takes(step);
    this.#ends.set(step.id, end);
    return end;
  }

  /** A hook takes as long as the plan that it becomes. */
  #takes({ hook, duration }: PlannedStep): number {
    if (hook?.plan !== undefined) return this.end(hook.plan, 0);
    if (hook === undefined && duration !== null) return duration.seconds;
    this.isLowerBound = true;
    return 0;
  }
}
