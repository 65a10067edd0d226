import type { LcmOperation, OperationState } from '@windlass/lifecycle';

/** An operation whose acceptance a customer knows. */
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
  /** The epoch of the claim that began the attempt. */
  attemptEpoch: number;
}

/** A claim that the database granted. */
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
  /** The instance's stack; of what a failed operation left, only the names are known. */
  stack: string | null;
  servers: string[];
  /** The servers that do not run, by the instance's record. */
  stopped: string[];
  ports: string[];
  volumes: string[];
  images: string[];
  leftovers: { stack: string; images: string[] } | null;
  scaleLevel: number | null;
  /** The number of VNFCs in the aspect's group. */
  members: number;
}

/** A saga of the product's own (a clean-up, a refresh after a failed operation) that has not ended. */
export interface PendingInternal {
  id: string;
  kind: string;
  vnfInstanceId: string | null;
  /** The reason why the last attempt failed. */
  reason: string | null;
}

/** The contents of the VIM in the tenant. */
export interface VimContents {
  /** Top-level stacks and nested stacks. */
  stacks: { name: string; status: string }[];
  servers: string[];
  /** The servers that do not run. */
  stopped: string[];
  ports: string[];
  volumes: string[];
  images: string[];
  /** For an image that was made in the place of another, the other image's id: Glance never gives an id twice. */
  insteadOf: Record<string, string>;
}

/** An image that instances share, as the database has it at the end. */
export interface SharedImageRecord {
  id: string;
  /** Instances that refer to it. */
  instances: string[];
}

/** All evidence of a run. Plain data: a verdict can be repeated from the file `evidence.json`. */
export interface Evidence {
  seed: number;
  /** The operations whose acceptance customers know. */
  accepted: AcceptedOperation[];
  /** Operations that did not come to rest within the time that is due after the last kill. */
  unfinished: string[];
  /** The operations in the database. */
  operations: { id: string; vnfInstanceId: string; operation: LcmOperation; state: OperationState }[];
  /** Sagas that had not ended when their time was over. */
  pending: PendingInternal[];
  /** Every state that was published of an operation, in the order of the transactions (lcm.outbox). */
  history: { operationId: string; state: OperationState }[];
  claims: ClaimSeen[];
  steps: JournaledStep[];
  ledger: LedgerLine[];
  instances: InstanceRecord[];
  /** Absent in the evidence of older runs. */
  sharedImages?: SharedImageRecord[];
  vim: VimContents;
  /** The VIM before the first operation. */
  vimBefore: VimContents;
  /** The places with a secret in the clear. */
  secretsSeen: { what: string; where: string }[];
}

/** The VIM and the machine after all instances were removed. */
export interface Aftermath {
  vim: VimContents;
  vimBefore: VimContents;
  /** Instances that could not be terminated and deleted. */
  notGone: string[];
  /** Processes that outlived the run. */
  processes: string[];
}
