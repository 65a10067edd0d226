import type { Duration, Json, JsonObject } from '@windlass/foundation';
import type { ErrorReport } from './engine/error-report.js';
import type { AwaitedKind, OperationRecord, OperationStatus, StepPhase, StepRecord } from './engine/records.js';
import type { CompiledPlan } from './plan/compile.js';
import type { PlanBounds } from './plan/plan-bounds.js';

/** What is kept of a step or a plan beside its record: sealed at rest, opened only when needed. */
export type PayloadKind =
  /** The step's input, references unresolved. */
  | 'input'
  /** The input resolved at its first claim: what undo works from. Only of a step that can still be undone. */
  | 'resolved'
  | 'output'
  /** The common input of a plan; its step is the plan's parent, or '' for the operation's own. */
  | 'common';

/** All kinds of payloads. */
export const PAYLOAD_KINDS: readonly PayloadKind[] = ['input', 'resolved', 'output', 'common'];

/** One transaction under the operation's row lock. What is not committed never was. */
export interface JournalTransaction {
  readonly operation: OperationRecord;
  readonly steps: readonly StepRecord[];
  /** The database's clock at the start of the transaction: the only one that leases are compared with. */
  readonly now: Date;
  /** For adapters of the operation's owner that write in the same transaction; the engine never looks inside. */
  readonly handle: unknown;
  readPayload(stepId: string, kind: PayloadKind): Promise<Json | undefined>;
  writePayload(stepId: string, kind: PayloadKind, value: Json): Promise<void>;
  /** Removes the operation's payloads of these kinds, whatever step they are of, those that this transaction has written too. */
  dropPayloads(kinds: readonly PayloadKind[]): Promise<void>;
  /**
   * How many steps hold a place per limit key over all operations: those that run, and not those that only wait. Where that is fewer than the limit, as many steps more as are wanted may begin to run in this
   * transaction, up to the limit: nobody else takes these places until it ends. It may throw to have the transaction begun anew.
   */
  countRunning(wanted: readonly WantedPlaces[]): Promise<ReadonlyMap<string, number>>;
  /**
   * The losses of each step that runs in a process (`processOf` its owner) and was lost before, over all operations; the process stays locked
   * until the transaction ends. Called before {@link countRunning}, if at all.
   */
  quarantinedIn(process: string): Promise<readonly number[]>;
  /** Writes the operation, the inserted and the changed steps. Called once, last. */
  save(steps: { inserted: readonly StepRecord[]; changed: readonly StepRecord[] }): Promise<void>;
}

/** Places under a limit that a transaction may take. */
export interface WantedPlaces {
  key: string;
  /** How many steps with this key may run at once. */
  limit: number;
  /** How many begin to run in this transaction at most. */
  places: number;
}

/** A key that keeps steps out, where a place may be free now. */
export interface Vacancy {
  key: string;
  /** Fewer must run than this; null: whether there is a place is decided when it is claimed. */
  limit: number | null;
  /** How many of those that it keeps out are called at most. */
  most: number;
  /** It is asked for because somebody was refused, and for nothing else: a journal may answer when what was being taken then is taken, or not. */
  refused?: boolean;
}

/** What a sweep goes by. */
export interface JournalLook {
  /** The database's clock when it was read. */
  now: Date;
  /** Every time that a running or ready step waits for. */
  times: AwaitedTime[];
  /** Operations that want a sweep now: accepted ones, and those with a wake-up unheard. */
  due: string[];
}

/** Where operations and steps are recorded: PostgreSQL, or memory in tests. */
export interface Journal {
  /**
   * Runs `work` under the lock of the operation's row. Undefined when there is no such operation.
   * With `skipLocked`, also undefined when another transaction holds the lock. With `beside`, other operations' work that comes at the same time may share
   * the commit; `work` is then done again where that commit failed by another's fault.
   */
  transact<T>(
    operationId: string,
    work: (tx: JournalTransaction) => Promise<T>,
    options?: { skipLocked?: boolean; beside?: boolean },
  ): Promise<T | undefined>;
  /**
   * Extends the lease of a claim that holds, where nothing speaks against it that the journal would have to ask the machine about: nobody else has the operation
   * locked, and it is not being stopped by force. So those of many operations may be extended together. A journal may leave it out.
   * @returns whether it was extended: what was not is decided under the operation's lock
   */
  extend?(claim: HeldClaim, lease: Duration): Promise<boolean>;
  /**
   * Whether a limit was nearly full when it was counted last. A hint, by what this process has seen: nothing is decided by it. A journal may leave it out.
   */
  isCrowded?(key: string): boolean;
  /** What a sweep goes by, read at once: it is read twice a second, also where nothing happens. @param limit of what is due */
  look(limit: number): Promise<JournalLook>;
  /** Milliseconds on a clock of this process that never jumps: what remains of a time that was read is counted on it. */
  steady(): number;
  /**
   * Of each key the ready steps that wait longest of those that it has kept out (a limit's, or a process's that holds quarantined steps), at most as many as are
   * to be called, where there is a place by what is committed.
   */
  waiting(vacancies: readonly Vacancy[]): Promise<WakeUp[]>;
  /** What runs and waits now, by limit key over all operations. */
  limitUse(): Promise<LimitUse[]>;
  /** Ids of the operations with a step ready, for sending all wake-ups after the streams were lost. */
  withReadySteps(): Promise<string[]>;
}

/** A claim whose worker asks for more time, and the line of progress that it tells with it. */
export interface HeldClaim {
  operationId: string;
  stepId: string;
  epoch: number;
  progress?: string;
}

/** A time in the journal, by the database's clock. */
export interface AwaitedTime {
  operationId: string;
  stepId: string;
  kind: AwaitedKind;
  at: Date;
  /** When the step's wake-up was last sent. */
  rungAt: Date | null;
}

/** How busy a limit key is. */
export interface LimitUse {
  /** `vim:<id>`, `host:<id>`, `service:<name>`. */
  key: string;
  /** Those that only wait are not among them. */
  running: number;
  /** Ready steps that this key's limit keeps out. */
  waiting: number;
}

/** Says no more than: there is a step; come and claim it. */
export interface WakeUp {
  operationId: string;
  stepId: string;
  epoch: number;
  service: string;
}

/** Sends the messages that wake workers up. */
export interface WakeUpSender {
  /** Sends wake-ups. One that can't be sent is no error: the sweep sends it again. */
  notify(wakeUps: readonly WakeUp[]): Promise<void>;
}

/** What the owner of the operations (libs/lifecycle) tells the engine, inside its transactions. */
export interface OperationOwner {
  /** The plan of an accepted operation. An error ends the operation as rolled back, with that reason. */
  plan(tx: JournalTransaction): Promise<CompiledPlan>;
  /** Values of sources that steps point at and the engine doesn't know. Undefined: there is no such source. */
  source(tx: JournalTransaction, source: string): Promise<Json | undefined>;
  /**
   * What a plan that this step returned may hold; undefined: it is the owner's own, and compiled as it is.
   * @throws TerminalError `plan.not-expected` where no plan may come from the step
   */
  boundsOf(tx: JournalTransaction, step: StepRecord): Promise<PlanBounds | undefined>;
  /** Whether a step of a grafted plan may be given this source, when it is claimed: nothing that compiling missed is resolved. */
  mayRead(tx: JournalTransaction, step: StepRecord, source: string): boolean;
  /** Looks at what a step with the trait `contributes` has given. @throws TerminalError where the step fails by it */
  checkContribution(tx: JournalTransaction, step: StepRecord, output: Json | undefined): Promise<void>;
  /** Runs an inline step's half within the transaction. */
  runInline(tx: JournalTransaction, step: StepRecord, phase: StepPhase, input: JsonObject): Promise<Json | undefined>;
  /** An error as it may be kept and shown: what it quotes of the operation's secrets is masked. Asked for each that is journaled. */
  concealed?(tx: JournalTransaction, error: ErrorReport): Promise<ErrorReport>;
  /** A status or milestone was reached: the owner writes its own records and notifications. */
  moved(tx: JournalTransaction, move: OperationTransition): Promise<void>;
}

/** What one transaction changed in an operation, in the order in which it happened. */
export interface OperationTransition {
  statuses: { from: OperationStatus; to: OperationStatus }[];
  milestones: string[];
  /** Steps whose state changed, for the live view. */
  steps: readonly StepRecord[];
}
