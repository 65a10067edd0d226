import type { ErrorReport } from './error-report.js';
import type { StepTraits } from '../plan/plan.js';

/**
 * Where an operation stands, in the engine's words.
 * `accepted` no steps yet; `running` forward; `rolling-back` backward; `stopping` waits for steps in flight to end;
 * `suspended` waits for a person; the last three are final.
 */
export type OperationStatus =
  'accepted' | 'running' | 'rolling-back' | 'stopping' | 'suspended' | 'completed' | 'rolled-back' | 'abandoned';

/** Statuses that an operation never leaves. */
export const FINAL_STATUSES: readonly OperationStatus[] = ['completed', 'rolled-back', 'abandoned'];

/** How an operation is cancelled: GRACEFUL lets steps that run end, FORCEFUL ends them (SOL003 5.5.4.6). */
export type CancelMode = 'GRACEFUL' | 'FORCEFUL';

/** The row that every transition of an operation or its steps locks first. */
export interface OperationRecord {
  id: string;
  /** The saga's name, such as `INSTANTIATE`; the engine gives it no meaning. */
  kind: string;
  tenant: string;
  status: OperationStatus;
  /** While `stopping`: what comes when the last step in flight has ended. */
  stopsInto: 'suspended' | 'rolling-back' | 'rolled-back' | null;
  /** The last milestone reached. */
  milestone: string | null;
  /** A cancel asked for and not yet carried out. */
  cancel: CancelMode | null;
  /** Why it stands at `suspended`, or why it rolled back. */
  failure: ErrorReport | null;
  /** The journal's format that its steps were written in; a coordinator takes none newer than it knows. */
  journalVersion: number;
  statusSince: Date;
}

/** `waiting` for others; `ready` to be claimed; `running` under a lease; `expanded` into steps of its own; `done`; `failed`. */
export type StepState = 'waiting' | 'ready' | 'running' | 'expanded' | 'done' | 'failed';

/** `do` or `undo`: which of the action's halves the state speaks of. */
export type StepPhase = 'do' | 'undo';

/** What a time in a step's record is waited for: a lease's end, the next attempt, or that somebody claims it. */
export type AwaitedKind = 'lease' | 'pause' | 'dispatch';

/** One step of the journal, without its input and output, which are kept sealed beside it. */
export interface StepRecord {
  operationId: string;
  id: string;
  /** Position in the operation, for people and for a stable order. */
  seq: number;
  parentId: string | null;
  action: string;
  version: number;
  service: string;
  target: string | null;
  deps: string[];
  limitKeys: string[];
  groups: { id: string; limit: number }[];
  traits: StepTraits;
  phase: StepPhase;
  state: StepState;
  /** Raised by one at every claim; what comes with another one is stale. */
  epoch: number;
  owner: string | null;
  leaseUntil: Date | null;
  /** Attempts of the present phase that have begun; 1 at the first claim. A resumed attempt keeps its number. */
  attempt: number;
  /** Epoch of the claim that began the present attempt: tells attempts apart over the step's whole life. */
  attemptEpoch: number;
  /** Whether the present attempt was claimed before, and its worker lost. */
  resumed: boolean;
  /** Leases that ended without a word since the last result. */
  losses: number;
  /** Whether it may have changed something outside: somebody has claimed it, and has not said that nothing was done. */
  everClaimed: boolean;
  /** Done before a retry: its check runs again, and its old output stands if the check says so. */
  recheck: boolean;
  nextAttemptAt: Date | null;
  /** Nobody claimed it by then: it fails with "no worker". */
  dispatchBy: Date | null;
  rungAt: Date | null;
  rings: number;
  /** The limit's key that kept the last claim out. */
  blockedOn: string | null;
  /** Epoch of the claim that has said last that it only waits: while it runs it holds no place under the limits. */
  waitingEpoch: number | null;
  /** Epoch of the last journaled result, so that a repeated one is answered the same. */
  resultEpoch: number | null;
  progress: string | null;
  error: ErrorReport | null;
  startedAt: Date | null;
  endedAt: Date | null;
}
