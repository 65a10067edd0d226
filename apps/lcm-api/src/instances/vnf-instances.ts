import { isJsonObject, RequestError, type JsonObject, isUuid } from '@windlass/foundation';
import {
  askedOfVim,
  cleanUpOf,
  definedFor,
  eventMessage,
  FINAL_STATES,
  instanceChange,
  internalVimOf,
  vimKindAskedFor,
  type ListedInstance,
  type OperationDefinition,
  type OperationTable,
  type PackageRecord,
  type VimChoice,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import {
  holdPackage,
  findInstanceWithVims,
  inTransaction,
  insertInstance,
  instanceOf,
  PgLcmStore,
  vimAccess,
  type VimEntity,
  VnfInstanceEntity,
  VnfLcmOpOccEntity,
  type PageWanted,
  type PgClusterSnapshots,
  type PgShownRows,
  type Vault,
} from '@windlass/persistence';
import { requireInstantiationState, V2_BODIES, type CreateVnfRequest } from '@windlass/sol003';
import { randomUUID } from 'node:crypto';
import { Not, In, type DataSource, type EntityManager } from 'typeorm';
import type { DriverRegistry } from '../drivers/driver-registry.js';
import { acceptOperation, cleanedUp, inOperation } from './accept-operation.js';
import { unusedMemberWarnings } from '../http/read-body.js';
import { requireMatch } from './entity-tag.js';
import { checkRequest, type CheckedRequest } from './check-request.js';
import type { VimClient } from '@windlass/messaging';
import type { OpenArchives } from '../packages/open-archives.js';
import type { ScriptRunners } from './script-runners.js';
import type { NetworkChecks } from '../vims/network-checks.js';
import { refuseReservedNames } from '../vims/reserved-names.js';
import { refuseOneTooMany } from '../quotas/project-quotas.js';
import { restorableSnapshots } from './restorable-snapshot.js';
import { requestLookups } from './request-lookups.js';
import { TemplateCache } from './template-cache.js';

/** VNF instances of a project, and the operations that can be asked of them. */
export class VnfInstances {
  readonly #templates = new TemplateCache();

  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
    private readonly shown: PgShownRows,
    private readonly store: PgLcmStore,
    private readonly drivers: DriverRegistry,
    private readonly operations: OperationTable,
    private readonly scripts: ScriptRunners,
    private readonly archives: OpenArchives,
    private readonly vims: Pick<VimClient, 'show'>,
    /** How many instances a project may have; no limit where it is undefined. */
    private readonly most: number | undefined,
    private readonly networks: NetworkChecks,
    private readonly snapshots: PgClusterSnapshots,
    /** Calls a coordinator to an operation that was accepted; nothing waits for it. */
    private readonly wakeCoordinator: (operationId: string) => void,
  ) {}

  /** @throws RequestError 404 for an unknown VNFD, 409 for a package that is DISABLED, and `vnf-instance.too-many` where the project has as many as it may */
  async create(tenant: string, request: CreateVnfRequest): Promise<VnfInstanceRecord> {
    const id = randomUUID();
    return inTransaction(this.database, async (manager) => {
      const found = await holdPackage(manager, tenant, request.vnfdId);
      if (found === undefined)
        throw new RequestError(
          404,
          'vnfd.unknown',
          `no onboarded VNF package has the VNFD ${request.vnfdId}: onboard one, or name another`,
        );
      if (found.operationalState !== 'ENABLED')
        throw new RequestError(409, 'vnf-package.disabled', `VNF package ${found.id} is DISABLED: enable it first`);
      await refuseOneTooMany(manager, 'vnfInstances', tenant, this.most);
      const { model } = await this.store.package(manager, found.id);
      const record: VnfInstanceRecord = {
        id,
        tenant,
        vnfInstanceName: request.vnfInstanceName ?? null,
        vnfInstanceDescription: request.vnfInstanceDescription ?? null,
        vnfdId: request.vnfdId,
        vnfPkgId: found.id,
        vnfProvider: model.provider,
        vnfProductName: model.productName,
        vnfSoftwareVersion: model.softwareVersion,
        vnfdVersion: model.descriptorVersion,
        instantiationState: 'NOT_INSTANTIATED',
        metadata: (request.metadata as JsonObject | undefined) ?? null,
        properties: null,
        vimConnectionInfo: [],
        instantiated: null,
        desired: null,
        leftovers: null,
        version: 0,
      };
      await insertInstance(manager, record, this.vault);
      await this.store.notify(manager, instanceChange('created', record));
      await this.store.emit(manager, [eventMessage({ about: 'vnf', change: 'created', vnfInstanceId: id })]);
      return record;
    });
  }

  /** A page in the order of ids, after the marker. */
  page(wanted: PageWanted): Promise<VnfInstanceRecord[]> {
    return this.shown.instances(wanted);
  }

  /** The same page, with what lists show by default. */
  listed(wanted: PageWanted): Promise<ListedInstance[]> {
    return this.shown.listedInstances(wanted);
  }

  /** To be shown. @throws RequestError 404, also for another project's */
  async show(tenant: string, id: string): Promise<{ record: VnfInstanceRecord; mark: string }> {
    const found = isUuid(id) ? await this.shown.instance(tenant, id) : undefined;
    if (found === undefined) throw unknownInstance(id);
    return found;
  }

  /** The present mark of an instance, as {@link show} gives it. @throws RequestError 404, also for another project's */
  async mark(tenant: string, id: string): Promise<string> {
    const mark = isUuid(id) ? await this.shown.instanceMark(tenant, id) : undefined;
    if (mark === undefined) throw unknownInstance(id);
    return mark;
  }

  /** @throws RequestError 404, also for another project's */
  async find(tenant: string, id: string, manager: EntityManager = this.database.manager): Promise<VnfInstanceRecord> {
    const row = isUuid(id) ? await manager.findOneBy(VnfInstanceEntity, { id, tenant }) : null;
    if (row === null) throw unknownInstance(id);
    return instanceOf(row, this.vault);
  }

  /** The instance as {@link find} has it, and the VIMs that a request to make its VNF may mean. */
  async #withVims(
    tenant: string,
    id: string,
    { makesVnf }: OperationDefinition,
    body: JsonObject,
  ): Promise<{ instance: VnfInstanceRecord; vims: VimEntity[] }> {
    const ids = makesVnf === true ? vimIdsIn(body) : null;
    const found = isUuid(id) ? await findInstanceWithVims(this.database.manager, { tenant, id }, ids) : null;
    if (found === null) throw unknownInstance(id);
    return { instance: instanceOf(found.instance, this.vault), vims: found.vims };
  }

  /**
   * Deletes an instance. A clean-up of its own removes what a failed operation left in the VIM. @throws RequestError 404, 409 while INSTANTIATED or
   * in an operation
   */
  async delete(tenant: string, id: string): Promise<void> {
    await inTransaction(this.database, async (manager) => {
      await this.find(tenant, id, manager);
      await manager.query('SELECT id FROM lcm.vnf_instance WHERE id = $1 FOR UPDATE', [id]);
      const instance = await this.find(tenant, id, manager);
      if (instance.instantiationState !== 'NOT_INSTANTIATED')
        throw new RequestError(409, 'vnf-instance.instantiated', `VNF instance ${id} is INSTANTIATED: terminate it first`);
      if (await isInOperation(manager, id))
        throw new RequestError(
          409,
          'vnf-instance.busy',
          `an operation of VNF instance ${id} is not final yet: wait for it, or retry, roll back or fail it`,
        );
      await this.#cleanUp(manager, instance);
      await manager.delete(VnfInstanceEntity, { id });
      await this.store.notify(manager, instanceChange('deleted', instance));
      await this.store.emit(manager, [eventMessage({ about: 'vnf', change: 'deleted', vnfInstanceId: id })]);
    });
  }

  /** Begins the clean-up in the deletion's transaction: the clean-up outlives the instance's row, an outage of the VIM, and any crash. */
  async #cleanUp(manager: EntityManager, instance: VnfInstanceRecord): Promise<void> {
    const { leftovers } = instance;
    if (leftovers === null) return;
    const vim = await internalVimOf(this.store, manager, instance, leftovers.vim);
    await this.store.beginInternal(manager, {
      kind: 'CLEAN_UP',
      tenant: instance.tenant,
      vnfInstanceId: instance.id,
      vimId: leftovers.vim.vimId ?? null,
      subject: cleanUpOf(leftovers, vim),
    });
  }

  /**
   * Checks a request against the instance, then accepts it under the instance's lock if the instance is unchanged. Where it has changed meanwhile
   * (Windlass's own refresh may have changed it), the request is checked again.
   * @param body as it follows the operation's class
   * @param read turns the body into the form that both versions of the API share, where it was not sent to v1
   * @param ifMatch the request's `If-Match`, where it means anything
   * @returns the id of the operation occurrence
   * @throws RequestError 404, 412 where `ifMatch` does not match the present instance, 409 in another state, while busy, or where the instance was
   *   changed at each of {@link MOST_CHECKS} checks, and as the operation's checks do
   */
  async operate(
    tenant: string,
    vnfInstanceId: string,
    definition: OperationDefinition,
    body: JsonObject,
    read?: ReadBody,
    ifMatch?: string,
  ): Promise<string> {
    for (let check = 1; ; check++) {
      try {
        return await this.#checkAndAccept(tenant, vnfInstanceId, definition, body, read, ifMatch);
      } catch (error) {
        if (!(error instanceof RequestError && error.status === 409 && error.code === CHANGED_MEANWHILE) || check === MOST_CHECKS)
          throw error;
      }
    }
  }

  async #checkAndAccept(
    tenant: string,
    vnfInstanceId: string,
    definition: OperationDefinition,
    body: JsonObject,
    read?: ReadBody,
    ifMatch?: string,
  ): Promise<string> {
    const { operation } = definition;
    const { instance, checked } = await this.#checked(tenant, vnfInstanceId, definition, body, read, ifMatch);
    const id = await acceptOperation(
      this.database,
      this.vault,
      this.store,
      { tenant, vnfInstanceId, operation, vnfcVdus: vnfcVdusOf(checked.request, instance), ...checked },
      (now) => {
        if (now === undefined) throw unknownInstance(vnfInstanceId);
        requireMatch(ifMatch, now);
        requireInstantiationState(operation, now.instantiationState);
        if (now.version !== instance.version) throw changedMeanwhile(vnfInstanceId);
      },
    );
    this.wakeCoordinator(id);
    return id;
  }

  /** Checks a request as {@link operate} does, without accepting it. @returns what would be accepted @throws RequestError as {@link operate} */
  async check(
    tenant: string,
    vnfInstanceId: string,
    definition: OperationDefinition,
    body: JsonObject,
    read?: ReadBody,
    ifMatch?: string,
  ): Promise<AcceptableOperation> {
    const found = await this.#checked(tenant, vnfInstanceId, definition, body, read, ifMatch);
    if (await this.store.isCleanedUp(this.database.manager, vnfInstanceId)) throw cleanedUp(vnfInstanceId);
    if (await isInOperation(this.database.manager, vnfInstanceId)) throw inOperation(vnfInstanceId);
    await refuseReservedNames(this.database.manager, { tenant, vnfInstanceId }, found.checked.vimNames);
    return found;
  }

  async #checked(
    tenant: string,
    vnfInstanceId: string,
    definition: OperationDefinition,
    body: JsonObject,
    read?: ReadBody,
    ifMatch?: string,
  ): Promise<AcceptableOperation> {
    const { operation } = definition;
    const { instance, vims } = await this.#withVims(tenant, vnfInstanceId, definition, body);
    requireMatch(ifMatch, instance);
    requireInstantiationState(operation, instance.instantiationState);
    const unused = unusedWarnings(definition, body, read === undefined ? 'v1' : 'v2');
    const request = read === undefined ? body : read(body, instance);
    const record = await this.store.package(this.database.manager, instance.vnfPkgId);
    const kind = definition.makesVnf === true ? kindAskedFor(request) : instance.instantiated?.vim.kind;
    const lookups = requestLookups(this.database.manager, this.vims, this.store, tenant, this.scripts, this.archives, vims);
    const found = await checkRequest(definedFor(definition, kind), {
      request,
      instance,
      package: record,
      flavourId: this.operations.flavourIdOf({ operation, request }, instance),
      lookups,
      drivers: this.drivers,
      snapshots: operation === 'HEAL' ? await restorableSnapshots(this.snapshots, this.vims, { tenant, vnfInstanceId }) : [],
    });
    const checked = { ...found, warnings: [...unused, ...found.warnings] };
    if (!definition.usesVim || kind !== undefined) return { instance, package: record, checked };
    // The last check, because only this one asks the VIM.
    const vim = definition.makesVnf === true ? await lookups.chooseVim(checked.request) : instance.instantiated?.vim;
    const warnings = vim === undefined ? [] : await this.#vimWarnings(definition, { instance, package: record, checked }, vim);
    return { instance, package: record, checked: { ...checked, warnings: [...checked.warnings, ...warnings] } };
  }

  /** The VIM's objections to a request. A VIM that the request describes is asked with the request's own credentials. */
  async #vimWarnings(definition: OperationDefinition, found: AcceptableOperation, vim: VimChoice): Promise<string[]> {
    const { instance, package: record, checked } = found;
    const { request, ranges, ipv4Cps } = checked;
    const { tenant } = instance;
    const makes = definition.makesVnf === true;
    const { vimId: id } = vim;
    if (id === undefined && !makes && request.extVirtualLinks === undefined) return [];
    const asked = makes ? { asked: askedOfVim({ instance, package: record, request }, this.#templates.read) } : {};
    const { manager } = this.database;
    const where =
      id === undefined
        ? { id: vim.connectionId, described: await vimAccess(manager, this.vault, tenant, vim, instance, request) }
        : { id };
    return this.networks.check({ tenant, vim: where, ...asked, request, ranges, ipv4Cps, instance });
  }
}

/** VIMs read beside an instance at most; a request that names more has the others looked for. */
const MOST_VIMS = 8;

/** Ids of VIMs that a request names, in either version of the API. */
const vimIdsIn = ({ vimConnectionInfo: connections }: JsonObject): string[] =>
  Object.values(isJsonObject(connections) || Array.isArray(connections) ? connections : {})
    .flatMap((each) => (isJsonObject(each) && isUuid(each.vimId) ? [each.vimId] : []))
    .slice(0, MOST_VIMS);

/** Of what kind the VIM is that a request to instantiate wants; as a choice has it. */
const kindAskedFor = (request: JsonObject): VimChoice['kind'] =>
  vimKindAskedFor(request) === 'kubernetes' ? 'kubernetes' : undefined;

/**
 * Sentences about members of a body that have no effect.
 * @throws RequestError 400 with the path of each member that has no effect although the outcome depends on it
 */
function unusedWarnings({ operation, body, asks }: OperationDefinition, given: JsonObject, version: 'v1' | 'v2'): string[] {
  // A task of a cluster has a body of ours.
  if (asks !== undefined) return [];
  if (version === 'v1') return unusedMemberWarnings(body, given);
  return [...unusedMemberWarnings(V2_BODIES[operation] ?? body, given), ...describedAndNamed(given)];
}

/** In v2 a connection that is described in full is taken as described. */
const describedAndNamed = ({ vimConnectionInfo: connections }: JsonObject): string[] =>
  Object.entries(isJsonObject(connections) ? connections : {}).flatMap(([id, each]) =>
    isJsonObject(each) && [each.vimId, each.interfaceInfo, each.accessInfo].every((member) => member !== undefined)
      ? [
          `the vimId of the VIM connection ${JSON.stringify(id.slice(0, 255))} is not used: the VIM is taken as it is described beside`,
        ]
      : [],
  );

/** Turns a request's body into the form that both versions of the API share. */
export type ReadBody = (body: JsonObject, instance: VnfInstanceRecord) => JsonObject;

/** A request that passed all checks, with what it was checked against. */
export interface AcceptableOperation {
  instance: VnfInstanceRecord;
  package: PackageRecord;
  checked: CheckedRequest;
}

/** Whether an operation of the instance is not final. */
const isInOperation = (manager: EntityManager, vnfInstanceId: string): Promise<boolean> =>
  manager.existsBy(VnfLcmOpOccEntity, { vnfInstanceId, operationState: Not(In([...FINAL_STATES])) });

/** The answer to an instance that is not there, or is another project's. */
const unknownInstance = (id: string): RequestError =>
  new RequestError(404, 'vnf-instance.unknown', `there is no VNF instance ${id}`);

/** The VDUs of the VNFCs that a request names. */
function vnfcVdusOf(
  { vnfcInstanceId, vnfcInfoModifications }: JsonObject,
  { instantiated }: VnfInstanceRecord,
): Record<string, string> {
  const modified = Array.isArray(vnfcInfoModifications) ? vnfcInfoModifications.filter(isJsonObject).map(({ id }) => id) : [];
  const named = new Set([...(Array.isArray(vnfcInstanceId) ? vnfcInstanceId : []), ...modified]);
  const vnfcs = instantiated?.info.vnfcResourceInfo?.filter(({ id }) => named.has(id)) ?? [];
  return Object.fromEntries(vnfcs.map(({ id, vduId }) => [id, vduId]));
}

/** How often a request is checked against an instance that changes between the check and the lock. */
const MOST_CHECKS = 3;

const CHANGED_MEANWHILE = 'vnf-instance.changed';

/** Another operation was published between the check and the lock, so the check may no longer hold. */
const changedMeanwhile = (id: string): RequestError =>
  new RequestError(
    409,
    CHANGED_MEANWHILE,
    `VNF instance ${id} was changed by another operation just now: look at it, and ask again`,
  );
