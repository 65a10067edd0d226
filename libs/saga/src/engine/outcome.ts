import type { Json } from '@windlass/foundation';
import type { CompiledPlan } from '../plan/compile.js';
import type { CancelMode } from './records.js';
import type { ErrorReport } from './error-report.js';

/** How often a step is tried and how long it pauses in between: plain JSON, so that it can stand in messages. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  attempts: number;
  /** Milliseconds before the second attempt. */
  backoff: number;
  /** The pause grows by this factor from attempt to attempt; 1 by default. */
  growth?: number;
}

/** What a worker says of a step that it had claimed. */
export type StepOutcome =
  /** The effect is there. Without `output` a re-checked step keeps the one it had. */
  | { kind: 'done'; output?: Json }
  /** The step's work is the plan, grafted below it. */
  | { kind: 'expand'; plan: CompiledPlan }
  | { kind: 'failed'; error: ErrorReport; retry: RetryPolicy }
  /** The worker stops: its jobs go on, another one shall attach. */
  | { kind: 'released' }
  /** The work was ended as a forceful cancel asked; `confirmed` false: a host could not be reached to see its jobs gone. */
  | { kind: 'cancelled'; confirmed: boolean; detail: string };

/** `journaled`: it stands, or stood already. `stale`: another claim came later, and nothing was written. */
export type Verdict = 'journaled' | 'stale';

/** Why a claim is not given. `unknown`: there is no such operation or step, or the step is not for a worker of this service. */
export type ClaimRefusal =
  | 'unknown'
  /** Not to be done now: done already, waiting, or the operation stands. */
  | 'not-ready'
  /** Another worker holds the lease. */
  | 'taken'
  /** The wake-up is older than the last claim. */
  | 'stale'
  /** Too early: a pause before the next attempt. */
  | 'pausing'
  /** A limit is reached; the wake-up is sent again when it is free. */
  | 'limited';

/** The answer to a worker that wants to keep its claim. */
export interface Renewal {
  verdict: Verdict;
  /** The step shall be ended now. */
  cancel?: CancelMode;
}

/** Who claims a step, and what keeps them out. */
export interface ClaimTerms {
  worker: string;
  service: string;
  /** The wake-up's. */
  epoch: number;
  /** Steps that run over all operations, by limit key. */
  running: ReadonlyMap<string, number>;
  /** The losses of each quarantined step that runs in the worker's process. */
  quarantined: readonly number[];
  /** `action@version` that the worker can run; of importance where the step has a look. */
  actions?: readonly string[];
}
