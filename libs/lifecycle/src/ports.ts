import type { Duration, JsonObject } from '@windlass/foundation';
import type { DriverDescription, HookContext, PackageFile } from '@windlass/mgmt-driver';
import type { OfferedAction, Plan, StepRecord } from '@windlass/saga';
import type { VnfPackageModel } from '@windlass/vnf-package';
import type { AuditView } from './records/audit-view.js';
import type { InternalKind, InternalRecord, InternalVim, NewInternal } from './records/internal-operation.js';
import type { LcmChange } from './events/changes.js';
import type { LcmEvent } from './events/events.js';
import type { SharedImageStore } from './records/shared-image.js';
import type { VimAccess, ClusterAccess } from './records/vim-access.js';
import type { OpOccRecord, VimChoice, VnfInstanceRecord } from './records/records.js';

/** What is kept of an onboarded package. */
export interface PackageRecord {
  id: string;
  model: VnfPackageModel;
  files: PackageFile[];
}

/** Internal sagas and what they look at, read and written in the engine's transactions. */
export interface InternalStore {
  /** In the caller's transaction: the saga's row, the engine's, and the wake-up. @returns its id */
  beginInternal<K extends InternalKind>(handle: unknown, begin: NewInternal<K>): Promise<string>;
  internal<K extends InternalKind>(handle: unknown, id: string): Promise<InternalRecord<K>>;
  /** All but kind, tenant and times of its making. */
  saveInternal<K extends InternalKind>(handle: unknown, record: InternalRecord<K>): Promise<void>;
  /** Of an OpenStack. @throws RequestError `vim.unknown` when the registry has it no more */
  internalVimAccess(handle: unknown, tenant: string, vim: InternalVim): Promise<VimAccess>;
  /** The instance under the lock of its row, so that no operation is accepted meanwhile; undefined when it is gone. */
  lockInstance(handle: unknown, id: string): Promise<VnfInstanceRecord | undefined>;
  /** Whether an operation of the instance is not final, or has changed its state at or after that time. */
  operatedSince(handle: unknown, vnfInstanceId: string, since: Date): Promise<boolean>;
  /** Whether a snapshot of a control plane is kept that was taken in that operation. */
  isSnapshotKept(handle: unknown, operationId: string): Promise<boolean>;
  /** Takes a VIM out of the registry. A VIM that is not there is no error. */
  unregisterVim(handle: unknown, tenant: string, vimId: string): Promise<void>;
  /** Made once, with the database: what this Windlass tags its things with. */
  deploymentId(handle: unknown): Promise<string>;
  /** Everything the database says about what lies in VIMs, of all projects. `since`: also what has changed from then on counts as in flight. */
  auditView(handle: unknown, since?: Date): Promise<AuditView>;
}

/** The lifecycle's records, read and written in the engine's transactions. `handle` is the adapter's own. */
export interface LcmStore extends InternalStore, SharedImageStore {
  opOcc(handle: unknown, id: string): Promise<OpOccRecord>;
  saveOpOcc(handle: unknown, opOcc: OpOccRecord): Promise<void>;
  /** How long ago it was accepted, by the journal's clock alone (ADR 8). */
  ageOfOpOcc(handle: unknown, id: string): Promise<Duration>;
  instance(handle: unknown, id: string): Promise<VnfInstanceRecord>;
  /** Compare and set on `version`, which it raises. @throws InvariantError when somebody else published meanwhile. */
  saveInstance(handle: unknown, instance: VnfInstanceRecord): Promise<void>;
  package(handle: unknown, id: string): Promise<PackageRecord>;
  /** @throws RequestError 400/404 `vim.unknown` when it is not registered. */
  vimAccess(
    handle: unknown,
    tenant: string,
    choice: VimChoice,
    instance: VnfInstanceRecord,
    request: JsonObject,
  ): Promise<VimAccess>;
  /** The access to a chosen VIM that is a Kubernetes cluster. @throws RequestError `vim.unknown` when it is not registered any more */
  clusterAccess(handle: unknown, tenant: string, choice: VimChoice): Promise<ClusterAccess>;
  /** The chosen VIM of a request: named by it, described in it, or the tenant's default. @throws RequestError `vim.none`. */
  chooseVim(handle: unknown, tenant: string, request: JsonObject): Promise<VimChoice>;
  driver(handle: unknown, name: string): Promise<DriverDescription | undefined>;
  /** What the services of all drivers offer to the plans of others. */
  offers(handle: unknown): Promise<OfferedAction[]>;
  /** Publishes events with the transaction; nothing depends on them. */
  emit(handle: unknown, events: readonly LcmEvent[]): Promise<void>;
  /**
   * Tells that steps of an operation have moved, as the transaction's journal says: watchers of the operation are woken when the transaction is
   * committed.
   */
  stepsMoved(handle: unknown, steps: readonly StepRecord[]): Promise<void>;
  /**
   * Records, in the transaction, what subscribers are to be told. Called under the lock of the operation or the instance, in the order of changes.
   */
  notify(handle: unknown, change: LcmChange): Promise<void>;
  /** Runs work in a transaction of its own. */
  transact<T>(work: (handle: unknown) => Promise<T>): Promise<T>;
}

/** Asks a driver for a hook's plan (`windlass.mgmt.<driver>.plan`). */
export interface DriverClient {
  /** The driver as it is kept: its service's keys prove the answer. */
  plan(driver: DriverDescription, context: HookContext, signal: AbortSignal): Promise<Plan>;
}
