import type { Duration, Json, JsonObject } from '@windlass/foundation';
import type { StepPhase } from '../engine/records.js';
import type { RetryPolicy } from '../engine/outcome.js';
import type { InputSchema } from '../plan/input-schema.js';
import type { Plan } from '../plan/plan.js';

/** One claim of a step, as its action sees it. */
export interface StepRun {
  readonly operationId: string;
  readonly stepId: string;
  readonly epoch: number;
  readonly attempt: number;
  /** Epoch of the claim that began the present attempt: equal to `epoch`, or lower when it was taken over from a worker that was lost. */
  readonly attemptEpoch: number;
  /** The present attempt had begun under another worker, which was lost. */
  readonly resumed: boolean;
  readonly phase: StepPhase;
  readonly target: string | null;
  readonly tenant: string;
  /** References resolved. Secrets in it are plain strings: wrap them in Secret before they travel further. */
  readonly input: JsonObject;
  /** Aborts when the lease is lost, the service stops, or a forceful cancel came; `reason` tells which ({@link StopReason}). */
  readonly signal: AbortSignal;
  /** To be called as the last act before anything changes outside. @throws when the lease can't be trusted any more. */
  assertLease(): void;
  /** How long the lease can still be trusted, by this process's monotonic clock. */
  leaseLeft(): Duration;
  /** One line of progress, shown to people with the next renewal. */
  progress(line: string): void;
}

/** Why a run shall end: another worker may have its step by now, the service stops and jobs go on, or the step was cancelled. */
export type StopReason = 'lease-lost' | 'detached' | 'cancelled';

/** What an apply gives: output for later steps, or a plan to be grafted below the step. */
export type ApplyResult = Json | undefined | ExpandInto;
/** What an apply returns whose work is a plan; made by {@link expandInto}. */
export class ExpandInto {
  constructor(readonly plan: Plan) {}
}
/** The step's work is this plan: its shape is known only now. One level deep. */
export const expandInto = (plan: Plan): ExpandInto => new ExpandInto(plan);

/** Says in a `check` that the effect is there, with the output that apply would have given. */
export class Present {
  constructor(readonly output: Json | undefined) {}
}
/**
 * Says in a `check` that the effect is there.
 * @param output what apply would have given; without it, a step that was done before keeps its output
 */
export const present = (output?: Json): Present => new Present(output);

/**
 * A verb that one step does. `C` is what the service makes of a {@link StepRun}: hosts, clients, the input in its own types.
 * The name and version stand in journals: neither is changed without the other.
 */
export interface Action<C> {
  /** Verb-noun, such as `join-worker`. */
  readonly name: string;
  readonly version: number;
  /** Whether the effect is there already; then apply is skipped. `true`, or {@link present} with the output. */
  check?(context: C): Promise<boolean | Present>;
  /** Makes it so. It may have died half-way before: it must be right to do it again. */
  apply(context: C): Promise<ApplyResult>;
  /** Reverses it from the input alone, whatever part of apply happened. Absent: nothing to undo. */
  undo?(context: C): Promise<void>;
  /** Ends what a forceful cancel leaves running outside. `false`: it could not be confirmed. */
  stop?(context: C): Promise<boolean>;
  /** What it takes, references resolved. What does not fit fails the step before anything is done, and has nothing to be undone. */
  readonly accepts?: InputSchema;
  readonly retry?: ActionRetry;
  /** The longest that one claim may work on it; then the step fails. */
  readonly within?: Duration;
}

/** How often an action is tried, and how long it pauses in between. */
export interface ActionRetry {
  /** In all, the first included. */
  attempts: number;
  backoff: Duration;
  growth?: number;
}

/** The retries of an action that names none: five attempts, with pauses of 2 s, 4 s, 8 s and 16 s. */
export const defaultRetry: RetryPolicy = { attempts: 5, backoff: 2_000, growth: 2 };

/** Defines an action; the type parameter is its context. */
export const defineAction = <C>(action: Action<C>): Action<C> => action;

/** An action bound to the way its service makes contexts. */
export interface BoundAction {
  readonly key: string;
  readonly retry: RetryPolicy;
  readonly within: Duration | undefined;
  readonly accepts?: InputSchema;
  check?(run: StepRun): Promise<boolean | Present>;
  apply(run: StepRun): Promise<ApplyResult>;
  undo?(run: StepRun): Promise<void>;
  stop?(run: StepRun): Promise<boolean>;
}

/** Binds a service's actions to its contexts. A context is made once a run, and closed when the run ends. */
export function bindActions<C>(
  actions: readonly Action<C>[],
  use: <T>(run: StepRun, work: (context: C) => Promise<T>) => Promise<T>,
): BoundAction[] {
  return actions.map((action) => {
    return {
      key: `${action.name}@${action.version}`,
      retry: action.retry ?? defaultRetry,
      within: action.within,
      ...(action.accepts && { accepts: action.accepts }),
      ...(action.check && { check: (run: StepRun) => use(run, async (context) => (await action.check?.(context)) ?? false) }),
      apply: (run: StepRun) => use(run, (context) => action.apply(context)),
      ...(action.undo && { undo: (run: StepRun) => use(run, async (context) => action.undo?.(context)) }),
      ...(action.stop && { stop: (run: StepRun) => use(run, async (context) => (await action.stop?.(context)) ?? true) }),
    };
  });
}
