import type { JsonObject } from '@windlass/foundation';

/** A graph of steps: pure data, computed without touching a machine, so that it can be shown, counted, tested and resumed. */
export interface Plan {
  /** Input common to all steps; stands once, and steps point into it with `common`. */
  common?: JsonObject;
  /** Actions and their versions are named by the steps; this names who made the plan, for the record. */
  madeBy?: { driver: string; version: string };
  root: PlanNode;
}

/** A node of a plan: a step, or a group of nodes that run one after the other or side by side. */
export type PlanNode = StepNode | SequenceNode | ParallelNode;

/** One durable step: an action of a service, with input that may point to what earlier steps gave. */
export interface StepNode {
  kind: 'step';
  /** Unique in its plan, stable over re-computation: `join-worker:workerNode-1`. */
  id: string;
  action: string;
  version: number;
  /** The service whose replicas run it; the wake-up comes on `windlass.step.<service>`. */
  service: string;
  /** JSON whose {@link Ref}s are resolved when the step is claimed. */
  input: JsonObject;
  /** What it works on, for people: the node's name, the stack's name. */
  target?: string;
  /** Keys of limits that hold over all coordinators: `vim:<id>`, `host:<id>`. */
  limits?: string[];
  /** Ids of steps of the plan that stand before it and have to be done, too, beside those that its place makes it wait for. */
  after?: string[];
  traits?: StepTraits;
}

/** What the engine does differently with a step; all are optional. */
export interface StepTraits {
  /** False: there is nothing to undo, and rolling back passes it by. True by default. */
  undoable?: boolean;
  /** Run by the coordinator inside its transaction, not by a service. */
  inline?: boolean;
  /** Once claimed, the operation can't be rolled back any more. */
  pivot?: boolean;
  /** Reached when this step is done; the operation's owner gives it a meaning. */
  milestone?: string;
  /** Its output is of interest when the operation is published; the engine gives it no meaning. */
  contributes?: boolean;
  /**
   * An action of the same service, with the same input and output, that only looks whether what the step makes is there. A worker that has it is given it at the
   * step's first claim, which holds no place under the step's limits. What it finds is the step's output. Where it finds nothing it hands the step over, and each
   * later claim is of the step's own action, with its places.
   *
   * `behind` is a limit key of the step, of a limit of 1: whoever has its place makes what the others look for. A step that this key has kept out is given as its
   * look once more when it is called, and once the step with the place is done, all that wait are called together. While its own action runs, the step holds its
   * places also where it only waits.
   */
  look?: { action: string; version: number; behind?: string };
  /** What a failure does: stop and wait for a person (the default), or roll back by itself. */
  onFailure?: 'suspend' | 'roll-back';
}

/** One after the other, in order; undone in the reverse order. */
export interface SequenceNode {
  kind: 'sequence';
  of: PlanNode[];
}

/** Side by side, at most `limit` at once. */
export interface ParallelNode {
  kind: 'parallel';
  of: PlanNode[];
  limit?: number;
}

/** Nodes that run one after the other. */
export const sequence = (...of: PlanNode[]): SequenceNode => ({ kind: 'sequence', of });

/** One after the other, as {@link sequence}, for a list: where members must not change at the same time, such as etcd's. */
export const serial = (of: PlanNode[]): SequenceNode => ({ kind: 'sequence', of });

/** Nodes that run side by side, at most `limit` of them at once; all unless given. */
export const parallel = (of: PlanNode[], options: { limit?: number } = {}): ParallelNode => ({
  kind: 'parallel',
  of,
  ...(options.limit === undefined ? {} : { limit: options.limit }),
});
