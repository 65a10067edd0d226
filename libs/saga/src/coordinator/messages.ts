import type { Json, JsonObject } from '@windlass/foundation';
import type { ErrorReport } from '../engine/error-report.js';
import type { ClaimRefusal, Renewal, RetryPolicy, Verdict } from '../engine/outcome.js';
import type { StepPhase } from '../engine/records.js';
import type { Plan } from '../plan/plan.js';

/** A worker asks for the step that a wake-up spoke of. */
export interface ClaimRequest {
  operationId: string;
  stepId: string;
  /** The wake-up's. */
  epoch: number;
  service: string;
  /** Names this replica: `<service>@<process>`, where another process has another name. What is lost together is told by it. */
  worker: string;
  /** `action@version` that it can run. */
  actions: readonly string[];
}

/** The step, or why it is not given. `version`: the worker's release lacks this version of the action. */
export type ClaimReply = { granted: true; claim: Claim } | { granted: false; reason: ClaimRefusal | 'version' };

/** A step in a worker's hands. */
export interface Claim {
  operationId: string;
  stepId: string;
  epoch: number;
  action: string;
  version: number;
  phase: StepPhase;
  attempt: number;
  /** Epoch of the claim that began the present attempt. */
  attemptEpoch: number;
  /** The present attempt was claimed before and its worker was lost. */
  resumed: boolean;
  /** It was done before a retry: if its check still says so, nothing is applied. */
  recheck: boolean;
  /** It ran when the record was taken that was restored since, and what it did is not known: it is done where its check says so, else a person decides. */
  restored?: boolean;
  target: string | null;
  tenant: string;
  input: JsonObject;
  /** How long the claim holds from the moment the request was sent, in milliseconds. */
  leaseFor: number;
  /** Others want the places that it holds: where it only waits it says so at once. */
  crowded?: boolean;
}

/** A worker asks for more time for a step that it holds, and may add a line of progress. */
export interface RenewRequest {
  operationId: string;
  stepId: string;
  epoch: number;
  progress?: string;
  /** Said by a claim that from now on only waits: until its end it holds no place under the limits. */
  waits?: boolean;
}

/** Whether the claim still holds, and for how long from the moment the request was sent, in milliseconds. */
export type RenewReply = Renewal & { leaseFor: number };

/** A worker reports how its claim of a step ended. It is repeated until it is answered. */
export interface ResultRequest {
  operationId: string;
  stepId: string;
  epoch: number;
  outcome: WorkerOutcome;
  /** Said by a worker that goes on at once: the answer may bring the step that this result has made ready. */
  next?: NextWanted;
}

/** Who would go on with another step of the same operation and service: as in a {@link ClaimRequest}. */
export interface NextWanted {
  worker: string;
  actions: readonly string[];
}

/** Whether the result stands in the journal, and what the worker holds from now on. The same result twice has the same answer. */
export interface ResultReply {
  verdict: Verdict;
  next?: Claim;
}

/** What a worker reports; a plan is compiled and checked by the coordinator. */
export type WorkerOutcome =
  | { kind: 'done'; output?: Json }
  | { kind: 'expand'; plan: Plan }
  | { kind: 'failed'; error: ErrorReport; retry: RetryPolicy }
  | { kind: 'released' }
  | { kind: 'cancelled'; confirmed: boolean; detail: string };

/** The coordinator as a worker sees it: requests that are repeated until they are answered. */
export interface CoordinatorClient {
  claim(request: ClaimRequest, signal?: AbortSignal): Promise<ClaimReply>;
  renew(request: RenewRequest, signal?: AbortSignal): Promise<RenewReply>;
  result(request: ResultRequest, signal?: AbortSignal): Promise<ResultReply>;
}
