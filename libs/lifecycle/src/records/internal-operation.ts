import type { JsonObject } from '@windlass/foundation';
import type { ProblemDetails } from '@windlass/sol003';
import type { Flavour } from '@windlass/vnf-package';
import type { ObjectRef } from './cluster-objects.js';
import type { DesiredConnectivity } from './desired-state.js';
import type { VimAccess } from './vim-access.js';
import type { InstantiatedState, Leftovers, StackIdentity, VimChoice } from './records.js';

/**
 * Sagas that nobody asked for by SOL003: they are no operation occurrence and hold no instance's lock, but run over the same journal.
 * `CLEAN_UP` removes what was left in a VIM; `REFRESH` publishes what is really there after an operation was marked as failed; `AUDIT` compares; `SNAPSHOT` keeps
 * what a cluster's control plane is, by a schedule.
 */
export const INTERNAL_KINDS = ['CLEAN_UP', 'REFRESH', 'AUDIT', 'SNAPSHOT'] as const;
export type InternalKind = (typeof INTERNAL_KINDS)[number];

export const isInternalKind = (kind: string): kind is InternalKind => (INTERNAL_KINDS as readonly string[]).includes(kind);

/** Whether a driver is asked in it, as in operations. */
export const asksDriver = (kind: InternalKind): boolean => kind === 'SNAPSHOT';

/** `PENDING` until it ended; `GIVEN_UP`: it ended without its work done, and stands for a person to see. */
export type InternalState = 'PENDING' | 'DONE' | 'GIVEN_UP';

/** The VIM of an internal saga. */
export interface InternalVim {
  choice: VimChoice;
  /** Kept only where no registry has it: what a request described in full, whose instance may be gone by now. Sealed at rest. */
  access?: VimAccess;
}

/** What a clean-up removes. */
export interface CleanUpSubject {
  vim: InternalVim;
  /** Absent: no stack. */
  stack?: StackIdentity;
  images: string[];
  /** Those of a Kubernetes cluster, in place of a stack. */
  objects?: ObjectRef[];
  /** Ids in the registry of VIMs that the operation registered: clusters that are no more. */
  vims: string[];
  /** Shared images that nobody refers to; `mustCarry` is given with them. */
  sharedImages?: string[];
  /** The instance refers to no shared image any more once the rest is removed. */
  sharesImages?: true;
  /** Besides the instance's own, the tag that a thing must carry to be removed. */
  mustCarry?: string;
}

/** What a refresh looks at, and what it may replace: the resources that stood on the instance's record when it began. */
export interface RefreshSubject {
  vim: InternalVim;
  /** The operation that was marked as failed. */
  operationId: string;
  operation: string;
  stack: StackIdentity;
  images: string[];
  /** Those of a Kubernetes cluster, in place of a stack. */
  objects?: ObjectRef[];
  vnfcs: InstantiatedState['vnfcs'];
  sharedCps: InstantiatedState['sharedCps'];
  /** The flavour's model and the instantiate request without its parameters: the look must not hang on the instance's row. */
  flavour: Flavour;
  request: DesiredConnectivity;
}

/** A VIM to look at: a registered one by its id there, one that only a request described by {@link describedVimId}. */
export interface AuditedVim {
  id: string;
  name: string;
  vim: InternalVim;
}

/** How a VIM is called that no registry has: by the instance whose request described it. */
export const describedVimId = (vnfInstanceId: string): string => `vnf-instance:${vnfInstanceId}`;

export interface AuditSubject {
  /** Of the project that asks. */
  vims: AuditedVim[];
  fix: boolean;
}

export interface SnapshotSubject {
  /** The management driver that made the cluster. */
  driver: string;
}

export interface SubjectOf {
  CLEAN_UP: CleanUpSubject;
  REFRESH: RefreshSubject;
  AUDIT: AuditSubject;
  SNAPSHOT: SnapshotSubject;
}

/** An internal saga as it is kept, beside the engine's row of the same id. */
export interface InternalRecord<K extends InternalKind = InternalKind> {
  id: string;
  kind: K;
  tenant: string;
  /** The instance may be gone by now. */
  vnfInstanceId: string | null;
  /** The registered VIM that it needs, which can't be deleted before it has ended. */
  vimId: string | null;
  /** Sealed at rest: may hold a VIM's credentials. */
  subject: SubjectOf[K];
  state: InternalState;
  /** How often it was tried and failed. */
  attempts: number;
  /** When the sweep tries again. */
  retryAt: Date | null;
  error: ProblemDetails | null;
  /** What it found, for people and scripts. No secrets. */
  outcome: JsonObject | null;
  createdAt: Date;
  changedAt: Date;
}

export type NewInternal<K extends InternalKind = InternalKind> = Pick<
  InternalRecord<K>,
  'kind' | 'tenant' | 'vnfInstanceId' | 'vimId' | 'subject'
>;

/** What a clean-up has to remove of the leftovers on an instance's record. */
export const cleanUpOf = (leftovers: Leftovers, vim: InternalVim): CleanUpSubject => ({
  vim,
  ...(leftovers.objects === undefined ? { stack: leftovers.stack } : { objects: leftovers.objects }),
  images: leftovers.images,
  vims: leftovers.vims ?? [],
  ...(leftovers.sharesImages === undefined ? {} : { sharesImages: leftovers.sharesImages }),
});
