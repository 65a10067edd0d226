import { randomUUID } from 'node:crypto';
import { RequestError } from '@windlass/foundation';
import { MemoryHandle } from '@windlass/saga/testing';
import type { AuditView } from '../clean-up/audit-view.js';
import type { InternalKind, InternalRecord, InternalVim, NewInternal } from '../clean-up/internal-operation.js';
import type { VimAccess } from '../model/infra-actions.js';
import { FINAL_STATES, type OpOccRecord, type VnfInstanceRecord } from '../model/records.js';
import type { InternalStore } from '../ports.js';

/** Internal sagas in memory: kept, and begun by whoever asks the store for them. */
export abstract class MemoryInternalStore implements InternalStore {
  readonly internals = new Map<string, InternalRecord>();
  /** Ids of VIMs that were taken out of the registry. */
  readonly unregistered: string[] = [];
  abstract readonly opOccs: ReadonlyMap<string, OpOccRecord>;
  abstract readonly instances: ReadonlyMap<string, VnfInstanceRecord>;
  abstract instance(handle: unknown, id: string): Promise<VnfInstanceRecord>;

  beginInternal<K extends InternalKind>(handle: unknown, begin: NewInternal<K>): Promise<string> {
    const id = randomUUID();
    const now = new Date();
    const times = { createdAt: now, changedAt: now, retryAt: null };
    const record: InternalRecord<K> = { ...begin, ...times, id, state: 'PENDING', attempts: 0, error: null, outcome: null };
    this.#write(handle, record);
    return Promise.resolve(id);
  }

  internal<K extends InternalKind>(_handle: unknown, id: string): Promise<InternalRecord<K>> {
    const found = this.internals.get(id);
    if (found === undefined)
      return Promise.reject(new RequestError(404, 'internal-operation.unknown', `there is no internal operation ${id}`));
    return Promise.resolve(structuredClone(found) as InternalRecord<K>);
  }

  saveInternal<K extends InternalKind>(handle: unknown, record: InternalRecord<K>): Promise<void> {
    this.#write(handle, record);
    return Promise.resolve();
  }

  abstract internalVimAccess(handle: unknown, tenant: string, vim: InternalVim): Promise<VimAccess>;

  lockInstance(handle: unknown, id: string): Promise<VnfInstanceRecord | undefined> {
    return this.instances.has(id) ? this.instance(handle, id) : Promise.resolve(undefined);
  }

  operatedSince(_handle: unknown, vnfInstanceId: string, since: Date): Promise<boolean> {
    const own = [...this.opOccs.values()].filter((opOcc) => opOcc.vnfInstanceId === vnfInstanceId);
    return Promise.resolve(
      own.some(({ operationState, stateEnteredTime }) => !FINAL_STATES.includes(operationState) || stateEnteredTime >= since),
    );
  }

  unregisterVim(_handle: unknown, _tenant: string, vimId: string): Promise<void> {
    this.unregistered.push(vimId);
    return Promise.resolve();
  }

  deploymentId(): Promise<string> {
    return Promise.resolve('00000000-0000-4000-8000-000000000000');
  }

  auditView(): Promise<AuditView> {
    return Promise.reject(new RequestError(503, 'audit.memory', 'a store in memory has no audits'));
  }

  #write(handle: unknown, record: InternalRecord): void {
    const kept = structuredClone(record);
    const keep = (): void => void this.internals.set(kept.id, kept);
    if (handle instanceof MemoryHandle) handle.atCommit(keep);
    else keep();
  }
}
