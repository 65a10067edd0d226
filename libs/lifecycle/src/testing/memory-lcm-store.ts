import { InvariantError, millis, RequestError, type Duration, type JsonObject } from '@windlass/foundation';
import type { DriverDescription } from '@windlass/mgmt-driver';
import type { OfferedAction, StepRecord } from '@windlass/saga';
import { MemoryHandle } from '@windlass/saga/testing';
import { vimKind, type VimConnectionInfo } from '@windlass/sol003';
import { vimKindAskedFor } from '../records/on-kubernetes.js';
import type { InternalVim } from '../records/internal-operation.js';
import { describedTls } from '../records/described-tls.js';
import type { VimAccess, ClusterAccess } from '../records/vim-access.js';
import { FINAL_STATES, type OpOccRecord, type VimChoice, type VnfInstanceRecord } from '../records/records.js';
import type { LcmChange } from '../events/changes.js';
import type { LcmStore, PackageRecord } from '../ports.js';
import type { LcmEvent } from '../events/events.js';
import { MemoryInternalStore } from './memory-internal-store.js';
import type { MemorySharedImages } from './memory-shared-images.js';

/** A VIM as the registry has it. */
export interface RegisteredVim {
  id: string;
  tenant: string;
  isDefault: boolean;
  access: Omit<VimAccess, 'connectionId'>;
  /** The access to a VIM that is a Kubernetes cluster. */
  cluster?: Omit<ClusterAccess, 'connectionId'>;
}

/** The lifecycle's records in memory, with the memory journal's handles. It passes the same contract suite as PostgreSQL's store. */
export class MemoryLcmStore extends MemoryInternalStore implements LcmStore {
  readonly opOccs = new Map<string, OpOccRecord>();
  readonly instances = new Map<string, VnfInstanceRecord>();
  readonly packages = new Map<string, PackageRecord>();
  readonly drivers = new Map<string, DriverDescription>();
  readonly vims: RegisteredVim[] = [];
  /** The ids of VIMs that operations removed from the registry. */
  readonly unregistered: string[] = [];
  /** The published events, in their order. */
  readonly events: LcmEvent[] = [];
  /** The steps' moves, in their order. */
  readonly moves: Pick<StepRecord, 'operationId' | 'id' | 'phase' | 'state'>[] = [];
  /** The changes that subscribers would be told, in their order. */
  readonly changes: LcmChange[] = [];

  /** Accepts an occurrence, and takes the instance's lock. @throws RequestError 409 `vnf-instance.busy` when another occurrence is not final */
  accept(opOcc: OpOccRecord): void {
    const busy = [...this.opOccs.values()].some(
      ({ vnfInstanceId, operationState }) => vnfInstanceId === opOcc.vnfInstanceId && !FINAL_STATES.includes(operationState),
    );
    if (busy) {
      const detail = `another operation of VNF instance ${opOcc.vnfInstanceId} is not final yet`;
      throw new RequestError(409, 'vnf-instance.busy', detail);
    }
    this.opOccs.set(opOcc.id, structuredClone(opOcc));
  }

  referToImages(...given: Parameters<MemorySharedImages['referToImages']>): Promise<Record<string, string>> {
    return this.shared.referToImages(...given);
  }

  dropImageReferences(handle: unknown, vnfInstanceId: string, untouched = false): Promise<string[]> {
    return this.shared.dropImageReferences(handle, vnfInstanceId, untouched);
  }

  forgetSharedImages(handle: unknown, ids: readonly string[]): Promise<void> {
    return this.shared.forgetSharedImages(handle, ids);
  }

  opOcc(handle: unknown, id: string): Promise<OpOccRecord> {
    return this.#read(handle, `operation occurrence ${id}`, 'op-occ.unknown', this.opOccs.get(id));
  }

  saveOpOcc(handle: unknown, opOcc: OpOccRecord): Promise<void> {
    const kept = structuredClone(opOcc);
    return done(() =>
      handleOf(handle).write(`operation occurrence ${opOcc.id}`, kept, () => void this.opOccs.set(opOcc.id, kept)),
    );
  }

  async ageOfOpOcc(handle: unknown, id: string): Promise<Duration> {
    const { startTime } = await this.opOcc(handle, id);
    return millis(this.now().getTime() - startTime.getTime());
  }

  instance(handle: unknown, id: string): Promise<VnfInstanceRecord> {
    return this.#read(handle, `VNF instance ${id}`, 'vnf-instance.unknown', this.instances.get(id));
  }

  async saveInstance(handle: unknown, instance: VnfInstanceRecord): Promise<void> {
    const { id, version } = instance;
    const there = await this.instance(handle, id);
    if (there.version !== version)
      throw new InvariantError(`VNF instance ${id} is not at version ${version} any more: somebody else has published it`);
    const kept = { ...structuredClone(instance), version: version + 1 };
    handleOf(handle).write(`VNF instance ${id}`, kept, () => void this.instances.set(id, kept));
  }

  /** The package is not copied, unlike other records: it is large, and nobody writes it. */
  package(_handle: unknown, id: string): Promise<PackageRecord> {
    return done(() => {
      const found = this.packages.get(id);
      if (found === undefined) throw new RequestError(404, 'vnf-package.unknown', `there is no onboarded VNF package ${id}`);
      return found;
    });
  }

  chooseVim(_handle: unknown, tenant: string, request: JsonObject): Promise<VimChoice> {
    return done(() => {
      const kind = vimKindAskedFor(request);
      const named = connectionsOf(request).find(({ vimType }) => vimKind(vimType) === kind);
      if (kind === 'kubernetes') {
        const isMeant = (vim: RegisteredVim): boolean => (named?.vimId === undefined ? vim.isDefault : vim.id === named.vimId);
        const found = this.vims.find((vim) => vim.tenant === tenant && vim.cluster !== undefined && isMeant(vim));
        if (found === undefined) throw new RequestError(400, 'vim.none', 'the request names no registered Kubernetes cluster');
        return { vimId: found.id, connectionId: named?.id ?? found.id, kind };
      }
      if (named?.vimId !== undefined) {
        this.#openStack(tenant, named.vimId);
        return { vimId: named.vimId, connectionId: named.id };
      }
      if (named?.accessInfo !== undefined) return { connectionId: named.id };
      const standard = this.vims.find((vim) => vim.tenant === tenant && vim.isDefault && vim.cluster === undefined);
      if (standard === undefined) throw new RequestError(400, 'vim.none', 'the request names no VIM and there is no default one');
      return { vimId: standard.id, connectionId: named?.id ?? standard.id };
    });
  }

  vimAccess(
    _handle: unknown,
    tenant: string,
    choice: VimChoice,
    instance: VnfInstanceRecord,
    request: JsonObject,
  ): Promise<VimAccess> {
    return done(() => {
      if (choice.vimId === undefined) return describedAccess(choice, [...connectionsOf(request), ...instance.vimConnectionInfo]);
      return { connectionId: choice.connectionId, ...this.#openStack(tenant, choice.vimId).access };
    });
  }

  clusterAccess(_handle: unknown, tenant: string, { vimId = '', connectionId }: VimChoice): Promise<ClusterAccess> {
    return done(() => {
      const cluster = this.#registered(tenant, vimId)?.cluster;
      if (cluster === undefined) throw unknownVim(vimId);
      return { connectionId, ...cluster };
    });
  }

  internalVimAccess(_handle: unknown, tenant: string, { choice, access }: InternalVim): Promise<VimAccess> {
    return done(() => {
      if (access !== undefined) return access;
      return { connectionId: choice.connectionId, ...this.#openStack(tenant, choice.vimId ?? '').access };
    });
  }

  driver(_handle: unknown, name: string): Promise<DriverDescription | undefined> {
    return Promise.resolve(structuredClone(this.drivers.get(name)));
  }

  offers(): Promise<OfferedAction[]> {
    const described = [...this.drivers.values()].flatMap(({ service, offers = [] }) =>
      offers.map((each) => ({ service, ...each })),
    );
    return Promise.resolve(structuredClone(described));
  }

  emit(handle: unknown, events: readonly LcmEvent[]): Promise<void> {
    const told = structuredClone(events);
    return done(() => handleOf(handle).atCommit(() => void this.events.push(...told)));
  }

  stepsMoved(handle: unknown, steps: readonly StepRecord[]): Promise<void> {
    const moves = steps.map(({ operationId, id, phase, state }) => ({ operationId, id, phase, state }));
    return done(() => handleOf(handle).atCommit(() => void this.moves.push(...moves)));
  }

  notify(handle: unknown, change: LcmChange): Promise<void> {
    const told = structuredClone(change);
    return done(() => handleOf(handle).atCommit(() => void this.changes.push(told)));
  }

  async transact<T>(work: (handle: unknown) => Promise<T>): Promise<T> {
    const handle = new MemoryHandle();
    const answer = await work(handle);
    handle.commit();
    return answer;
  }

  protected forgetVim(tenant: string, vimId: string): void {
    this.unregistered.push(vimId);
    const at = this.vims.findIndex(({ id, tenant: of }) => id === vimId && of === tenant);
    if (at >= 0) this.vims.splice(at, 1);
  }

  /** @throws RequestError `vim.unknown`, `vim.other-kind` */
  #openStack(tenant: string, id: string): RegisteredVim {
    const vim = this.#registered(tenant, id);
    if (vim === undefined) throw unknownVim(id);
    if (vim.cluster !== undefined) throw new RequestError(400, 'vim.other-kind', `VIM ${id} is a Kubernetes cluster`);
    return vim;
  }

  #registered(tenant: string, id: string): RegisteredVim | undefined {
    return this.vims.find((vim) => vim.tenant === tenant && vim.id === id);
  }

  #read<T>(handle: unknown, key: string, code: string, kept: T | undefined): Promise<T> {
    return done((): T => {
      const found: T | undefined = (handleOf(handle).read(key) as T | undefined) ?? kept;
      if (found === undefined) throw new RequestError(404, code, `there is no ${key}`);
      return structuredClone(found);
    });
  }
}

/** Runs synchronous work as a promise, which rejects where the work throws. */
const done = <T>(work: () => T): Promise<T> => Promise.resolve().then(work);

const connectionsOf = (request: JsonObject): VimConnectionInfo[] =>
  (request.vimConnectionInfo ?? []) as unknown as VimConnectionInfo[];

const unknownVim = (id: string): RequestError => new RequestError(400, 'vim.unknown', `there is no VIM ${id} in this project`);

function describedAccess(choice: VimChoice, connections: readonly VimConnectionInfo[]): VimAccess {
  const { interfaceInfo = {}, accessInfo = {} } = connections.find(({ id }) => id === choice.connectionId) ?? {};
  const text = (value: unknown, name: string): string => {
    if (typeof value === 'string' && value !== '') return value;
    throw new RequestError(400, 'vim.incomplete', `the VIM connection ${choice.connectionId} has no ${name}`);
  };
  return {
    connectionId: choice.connectionId,
    authUrl: text(interfaceInfo.endpoint, 'interfaceInfo.endpoint'),
    username: text(accessInfo.username, 'accessInfo.username'),
    password: text(accessInfo.password, 'accessInfo.password'),
    userDomainName: text(accessInfo.userDomain ?? 'Default', 'accessInfo.userDomain'),
    projectName: text(accessInfo.project, 'accessInfo.project'),
    projectDomainName: text(accessInfo.projectDomain ?? 'Default', 'accessInfo.projectDomain'),
    ...describedTls(interfaceInfo),
  };
}

function handleOf(handle: unknown): MemoryHandle {
  if (handle instanceof MemoryHandle) return handle;
  throw new InvariantError('a store in memory was given a handle of another kind');
}
