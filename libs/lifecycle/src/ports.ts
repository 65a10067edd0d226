import type { JsonObject } from '@windlass/foundation';
import type { DriverDescription, HookContext, PackageFile } from '@windlass/mgmt-driver';
import type { Plan } from '@windlass/saga';
import type { VnfPackageModel } from '@windlass/vnf-package';
import type { VimAccess } from './model/infra-actions.js';
import type { OpOccRecord, VimChoice, VnfInstanceRecord } from './model/records.js';

/** What is kept of an onboarded package. */
export interface PackageRecord {
  id: string;
  model: VnfPackageModel;
  files: PackageFile[];
}

export interface LcmEvent {
  subject: string;
  message: JsonObject;
}

/** The lifecycle's records, read and written in the engine's transactions. `handle` is the adapter's own. */
export interface LcmStore {
  opOcc(handle: unknown, id: string): Promise<OpOccRecord>;
  saveOpOcc(handle: unknown, opOcc: OpOccRecord): Promise<void>;
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
  /** The chosen VIM of a request: named by it, described in it, or the tenant's default. @throws RequestError `vim.none`. */
  chooseVim(handle: unknown, tenant: string, request: JsonObject): Promise<VimChoice>;
  driver(handle: unknown, name: string): Promise<DriverDescription | undefined>;
  /** Publishes events with the transaction; nothing depends on them. */
  emit(handle: unknown, events: readonly LcmEvent[]): Promise<void>;
  /** Runs work in a transaction of its own. */
  transact<T>(work: (handle: unknown) => Promise<T>): Promise<T>;
}

/** Asks a driver for a hook's plan (`windlass.mgmt.<driver>.plan`). */
export interface DriverClient {
  plan(driver: string, context: HookContext, signal: AbortSignal): Promise<Plan>;
}
