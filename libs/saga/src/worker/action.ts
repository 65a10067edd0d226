import type { Duration, Json, JsonObject } from '@windlass/foundation';
import type { ActionContract } from '../plan/action-contract.js';
import type { StepPhase } from '../engine/records.js';
import type { RetryPolicy } from '../engine/outcome.js';
import type { InputSchema } from '../plan/input-schema.js';
import type { Plan } from '../plan/plan.js';

/** One claim of a step, as its action sees it. */
export interface StepRun<Input = JsonObject> {
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
  readonly input: Input;
  /** Aborts when the lease is lost, the service stops, or a forceful cancel came; `reason` tells which ({@link StopReason}). */
  readonly signal: AbortSignal;
  /** To be called as the last act before anything changes outside. @throws when the lease can't be trusted any more. */
  assertLease(): void;
  /** How long the lease can still be trusted, by this process's monotonic clock. */
  leaseLeft(): Duration;
  /** One line of progress, shown to people with the next renewal. */
  progress(line: string): void;
  /**
   * Says that from here to its end this run only waits for what goes on elsewhere, and looks at it seldom. It then holds neither a place under the step's limits
   * nor one of its worker's, so that any number of runs may wait. Not for a step whose limit keeps others away from what it waits for: a host's, say.
   */
  onlyWaits(): void;
}

/** Why a run shall end: another worker may have its step by now, the service stops and jobs go on, or the step was cancelled. */
export type StopReason = 'lease-lost' | 'detached' | 'cancelled';

/** What an apply gives: output for later steps, a plan to be grafted below the step, or, of an action that only looks for a step's effect, that it is not there. */
export type ApplyResult<Output = Json | undefined> = Output | ExpandInto | NotThere;
/** What an apply returns whose work is a plan; made by {@link expandInto}. */
export class ExpandInto {
  constructor(readonly plan: Plan) {}
}
/** The step's work is this plan: its shape is known only now. One level deep. */
export const expandInto = (plan: Plan): ExpandInto => new ExpandInto(plan);

/** What the apply of a step's look (`StepTraits.look`) returns where it finds nothing: the step's own action is claimed next. */
export class NotThere {
  readonly found = false;
}

/** Says in a `check` that the effect is there, with the output that apply would have given. */
export class Present<Output = Json | undefined> {
  constructor(readonly output: Output) {}
}
/**
 * Says in a `check` that the effect is there, with what apply would have given; without an output, a step that was done before keeps its own.
 */
export function present(): Present<undefined>;
export function present<Output>(output: Output): Present<Output>;
export function present(output?: unknown): Present<unknown> {
  return new Present(output);
}

/** How a service does an action. `C` is what it makes of a {@link StepRun}: the input, hosts, clients. */
export interface ActionWork<C, Output> {
  /** Whether the effect is there already; then apply is skipped. `true`, or {@link present} with the output. */
  readonly check?: (context: C) => Promise<boolean | Present<Output>>;
  /** Makes it so. It may have died half-way before: it must be right to do it again. */
  readonly apply: (context: C) => Promise<ApplyResult<Output>>;
  /** Reverses it from the input alone, whatever part of apply happened. Absent: nothing to undo. */
  readonly undo?: (context: C) => Promise<void>;
  /** Ends what a forceful cancel leaves running outside. `false`: it could not be confirmed. */
  readonly stop?: (context: C) => Promise<boolean>;
  readonly retry?: ActionRetry;
  /** The longest that one claim may work on it; then the step fails. */
  readonly within?: Duration;
}

/** A verb that one step does: its contract, and the work that a service does for it. */
export interface Action<C, Input = JsonObject, Output = Json | undefined>
  extends ActionContract<Input, Output>, ActionWork<C, Output> {}

/** How often an action is tried, and how long it pauses in between. */
export interface ActionRetry {
  /** In all, the first included. */
  attempts: number;
  backoff: Duration;
  growth?: number;
}

/** The retries of an action that names none: five attempts, with pauses of 2 s, 4 s, 8 s and 16 s. */
export const defaultRetry: RetryPolicy = { attempts: 5, backoff: 2_000, growth: 2 };

/** Binds a service's work to the contract that plans make their steps of. The compiler holds what it gives to the contract's output. */
export const implementAction = <C, Input, Output>(
  contract: ActionContract<Input, Output>,
  work: ActionWork<C, NoInfer<Output>>,
): Action<C, Input, Output> => ({ ...contract, ...work });

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

/** Makes a context of a run for as long as the work takes. */
export type UseContext<C, Input> = <T>(run: StepRun<Input>, work: (context: C) => Promise<T>) => Promise<T>;

/** Binds a service's actions to its contexts. A context is made once a run, and closed when the run ends. */
export function bindActions<C, Input = JsonObject, Output = Json | undefined>(
  actions: readonly Action<C, Input, Output>[],
  use: UseContext<C, Input>,
): BoundAction[] {
  return actions.map(({ name, version, accepts, retry = defaultRetry, within, check, apply, undo, stop }) => {
    const on = <T>(run: StepRun, work: (context: C) => Promise<T>) => use(typed<Input>(run), work);
    return {
      key: `${name}@${version}`,
      retry,
      within,
      ...(accepts && { accepts }),
      ...(check && { check: (run: StepRun) => on(run, check) as Promise<boolean | Present> }),
      apply: (run: StepRun) => on(run, apply) as Promise<ApplyResult>,
      ...(undo && { undo: (run: StepRun) => on(run, undo) }),
      ...(stop && { stop: (run: StepRun) => on(run, stop) }),
    };
  });
}

/**
 * The run with its input in the contract's type: the plan's author was held to it by the compiler, an untrusted plan by `accepts`, against
 * which the worker has compared it.
 */
const typed = <Input>(run: StepRun): StepRun<Input> => run as StepRun<Input>;
