import type { LcmOperation, OperationState } from '@windlass/lifecycle';

/** An operation that a customer knows to be accepted. */
export interface AcceptedOperation {
  id: string;
  vnfInstanceId: string;
  operation: LcmOperation;
}

/** A line of the host's ledger (driver/ledger-job.sh). */
export interface LedgerLine {
  event: 'begin' | 'end' | 'failed' | 'overlap';
  operationId: string;
  stepId: string;
  phase: 'do' | 'undo';
  /** Epoch of the claim that began the attempt. */
  attemptEpoch: number;
}

/** A claim as the database saw it being granted. */
export interface ClaimSeen {
  operationId: string;
  stepId: string;
  phase: 'do' | 'undo';
  epoch: number;
  attemptEpoch: number;
  owner: string | null;
}

/** A step as the journal has it at the end. */
export interface JournaledStep {
  operationId: string;
  stepId: string;
  service: string;
  phase: 'do' | 'undo';
  state: string;
}

/** An instance as the database has it at the end. */
export interface InstanceRecord {
  id: string;
  instantiated: boolean;
  /** What it says it consists of; of what a failed operation left, only the names are known. */
  stack: string | null;
  servers: string[];
  /** Those of them that it says do not run. */
  stopped: string[];
  ports: string[];
  volumes: string[];
  images: string[];
  leftovers: { stack: string; images: string[] } | null;
  scaleLevel: number | null;
  /** VNFCs in the group of the aspect. */
  members: number;
}

/** A saga that nobody asked for (a clean-up, a look at what a failed operation left) and that has not ended. */
export interface PendingInternal {
  id: string;
  kind: string;
  vnfInstanceId: string | null;
  /** Why the last attempt failed. */
  reason: string | null;
}

/** What the VIM has in the tenant. */
export interface VimContents {
  /** Top-level and nested. */
  stacks: { name: string; status: string }[];
  servers: string[];
  /** Those of them that do not run. */
  stopped: string[];
  ports: string[];
  volumes: string[];
  images: string[];
  /** By an image's id, that of the one in whose place it was made: Glance never gives an id twice. */
  insteadOf: Record<string, string>;
}

/** All that a run left to judge by. Plain data: a verdict can be repeated from the file that it was written to. */
export interface Evidence {
  seed: number;
  /** By customers' own books. */
  accepted: AcceptedOperation[];
  /** Operations that did not come to rest within the time that is due after the last kill. */
  unfinished: string[];
  /** By the database. */
  operations: { id: string; vnfInstanceId: string; operation: LcmOperation; state: OperationState }[];
  /** Still to be done when the time for it is over. */
  pending: PendingInternal[];
  /** Every state that an operation was told to be in, in the order of the transactions (lcm.outbox). */
  history: { operationId: string; state: OperationState }[];
  claims: ClaimSeen[];
  steps: JournaledStep[];
  ledger: LedgerLine[];
  instances: InstanceRecord[];
  vim: VimContents;
  /** What the VIM had before the first operation. */
  vimBefore: VimContents;
  /** Places where a secret stands in the clear. */
  secretsSeen: { what: string; where: string }[];
}

/** What the VIM and the machine have when everything was taken away again. */
export interface Aftermath {
  vim: VimContents;
  vimBefore: VimContents;
  /** Instances that could not be terminated and deleted. */
  notGone: string[];
  /** Processes of the run that outlived it. */
  processes: string[];
}
