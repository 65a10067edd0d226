import { randomUUID } from 'node:crypto';
import { RequestError } from '@windlass/foundation';
import { MemoryHandle } from '@windlass/saga/testing';
import { expectedVnf, type AuditView } from '../records/audit-view.js';
import type { InternalKind, InternalRecord, InternalVim, NewInternal } from '../records/internal-operation.js';
import type { VimAccess } from '../records/vim-access.js';
import { FINAL_STATES, type OpOccRecord, type VnfInstanceRecord } from '../records/records.js';
import type { InternalStore } from '../ports.js';
import { MemorySharedImages } from './memory-shared-images.js';

/** The internal sagas of a store in memory. */
export abstract class MemoryInternalStore implements InternalStore {
  readonly internals = new Map<string, InternalRecord>();
  readonly shared = new MemorySharedImages();
  /** The time by the database's clock. */
  now: () => Date = () => new Date();
  /** Called with each saga that begins, once it is kept: in PostgreSQL, the same transaction writes its journal row and wake-up. */
  onBegun: (record: InternalRecord) => void = () => undefined;
  /** Whether an operation has kept a snapshot of a control plane. */
  keptSnapshotIn: (operationId: string) => boolean = () => false;
  abstract readonly opOccs: ReadonlyMap<string, OpOccRecord>;
  abstract readonly instances: ReadonlyMap<string, VnfInstanceRecord>;
  abstract instance(handle: unknown, id: string): Promise<VnfInstanceRecord>;

  /** Removes a VIM from the registry at once. */
  protected abstract forgetVim(tenant: string, vimId: string): void;

  beginInternal<K extends InternalKind>(handle: unknown, begin: NewInternal<K>): Promise<string> {
    const id = randomUUID();
    const now = this.now();
    const times = { createdAt: now, changedAt: now, retryAt: null };
    const record: InternalRecord<K> = { ...begin, ...times, id, state: 'PENDING', attempts: 0, error: null, outcome: null };
    this.#write(handle, record);
    this.#atCommit(handle, () => this.onBegun(record));
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

  isSnapshotKept(_handle: unknown, operationId: string): Promise<boolean> {
    return Promise.resolve(this.keptSnapshotIn(operationId));
  }

  unregisterVim(handle: unknown, tenant: string, vimId: string): Promise<void> {
    this.#atCommit(handle, () => this.forgetVim(tenant, vimId));
    return Promise.resolve();
  }

  deploymentId(): Promise<string> {
    return Promise.resolve('00000000-0000-4000-8000-000000000000');
  }

  auditView(_handle: unknown, since?: Date): Promise<AuditView> {
    const changed = (at: Date): boolean => since !== undefined && at >= since;
    const operations = [...this.opOccs.values()].filter(
      ({ operationState, stateEnteredTime }) => !FINAL_STATES.includes(operationState) || changed(stateEnteredTime),
    );
    const internals = [...this.internals.values()];
    const pending = internals.filter(
      ({ kind, state, changedAt }) => kind !== 'SNAPSHOT' && (state === 'PENDING' || changed(changedAt)),
    );
    const busy = [...operations, ...pending].flatMap(({ vnfInstanceId }) => (vnfInstanceId === null ? [] : [vnfInstanceId]));
    const instances = [...this.instances.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    return Promise.resolve({
      at: this.now().toISOString(),
      vnfs: instances.map(expectedVnf),
      sharedImages: this.shared.all(),
      busy: [...new Set(busy)],
      waiting: internals.filter(isWaiting).map((record) => ({
        id: record.id,
        kind: record.kind,
        tenant: record.tenant,
        vnfInstanceId: record.vnfInstanceId,
        state: record.state,
        attempts: record.attempts,
        retryAt: record.retryAt?.toISOString() ?? null,
        error: record.error?.detail ?? null,
      })),
    });
  }

  #write(handle: unknown, record: InternalRecord): void {
    const kept = structuredClone(record);
    this.#atCommit(handle, () => void this.internals.set(kept.id, kept));
  }

  #atCommit(handle: unknown, keep: () => void): void {
    if (handle instanceof MemoryHandle) handle.atCommit(keep);
    else keep();
  }
}

const isWaiting = ({ kind, state, attempts }: InternalRecord): boolean =>
  kind !== 'AUDIT' && kind !== 'SNAPSHOT' && (state === 'GIVEN_UP' || (state === 'PENDING' && attempts > 0));
