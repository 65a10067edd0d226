import { mergePatch, RequestError, type Json, type JsonObject, isUuid } from '@windlass/foundation';
import { eventMessage, type PackageChange } from '@windlass/lifecycle';
import {
  VnfInstanceEntity,
  VnfPackageEntity,
  type PackageChange as NotifiedPackageChange,
  type PgLcmStore,
} from '@windlass/persistence';
import { type VnfPkgInfoModification } from '@windlass/sol003';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { DataSource, EntityManager } from 'typeorm';
import { refuseOneTooMany } from '../quotas/project-quotas.js';
import type { RequestTrail } from '../trail/request-trail.js';
import { unknownPackage } from './package-views.js';

/** VNF packages of a project, and what changes them (SOL005 9.4). */
export class VnfPackages {
  constructor(
    private readonly database: DataSource,
    private readonly store: PgLcmStore,
    private readonly trail: RequestTrail,
    /** How many a project may have; any number where it is undefined. */
    private readonly most: number | undefined,
  ) {}

  /** @returns its id. @throws RequestError 409 `vnf-package.too-many` where the project has as many as it may */
  async create(tenant: string, userDefinedData: JsonObject): Promise<string> {
    const entity = Object.assign(new VnfPackageEntity(), {
      id: randomUUID(),
      tenant,
      onboardingState: 'CREATED',
      operationalState: 'DISABLED',
      userDefinedData,
      vnfdId: null,
      checksum: null,
      size: null,
      model: null,
      files: null,
      additionalArtifacts: null,
      warnings: [],
      failure: null,
      uploadEpoch: 0,
      processingTries: 0,
      uploadSeenAt: null,
      uploadSource: null,
      uploadUntil: null,
      uploadBytes: null,
      createdAt: new Date(),
    } satisfies Partial<VnfPackageEntity>);
    await this.trail.withChange(async (manager) => {
      await refuseOneTooMany(manager, 'packages', tenant, this.most);
      await manager.insert(VnfPackageEntity, entity as never);
    });
    return entity.id;
  }

  /** @throws RequestError 404, also for another project's */
  async find(tenant: string, id: string): Promise<VnfPackageEntity> {
    const row = isUuid(id) ? await this.database.manager.findOneBy(VnfPackageEntity, { id, tenant }) : null;
    if (row === null) throw unknownPackage(id);
    return row;
  }

  /** The onboarded package of a VNFD. @throws RequestError 404, also for another project's */
  async onboarded(tenant: string, vnfdId: string): Promise<VnfPackageEntity> {
    const row = vnfdId.includes('\0')
      ? null
      : await this.database.manager.findOneBy(VnfPackageEntity, { tenant, vnfdId, onboardingState: 'ONBOARDED' });
    if (row === null)
      throw new RequestError(404, 'vnfd.unknown', `no onboarded VNF package has the VNFD ${JSON.stringify(vnfdId)}`);
    return row;
  }

  /**
   * @returns the attributes that changed, as they are now
   * @throws RequestError 404; 409 for a state that it has already, or where nothing would change; 400 for a state of a package that is not onboarded
   */
  async update(tenant: string, id: string, change: VnfPkgInfoModification): Promise<JsonObject> {
    return this.trail.withChange(async (manager) => {
      const entity = await this.#locked(manager, tenant, id);
      const { operationalState } = change;
      const changed: JsonObject = {
        ...(operationalState === undefined ? {} : { operationalState: stateToSet(entity, operationalState) }),
        ...(change.userDefinedData === undefined
          ? {}
          : { userDefinedData: dataToSet(entity, change.userDefinedData as JsonObject | null) }),
      };
      await manager.update(VnfPackageEntity, { id }, changed as never);
      if (operationalState !== undefined)
        await publishPackage(this.store, manager, entity, operationalState === 'ENABLED' ? 'enabled' : 'disabled');
      return changed;
    });
  }

  /** @throws RequestError 404; 409 while ENABLED, in use, or UPLOADING */
  async delete(tenant: string, id: string): Promise<void> {
    await this.trail.withChange(async (manager) => {
      const entity = await this.#locked(manager, tenant, id);
      if (entity.operationalState === 'ENABLED')
        throw new RequestError(409, 'vnf-package.enabled', `VNF package ${id} is ENABLED: disable it first`);
      if (await manager.existsBy(VnfInstanceEntity, { vnfPkgId: id }))
        throw new RequestError(409, 'vnf-package.in-use', `VNF package ${id} is IN_USE: delete its VNF instances first`);
      // The process that works on the package notices the deletion at its next sign of life, and ends.
      if (entity.onboardingState === 'UPLOADING')
        throw new RequestError(409, 'vnf-package.uploading', `VNF package ${id} is UPLOADING: wait for it`);
      await manager.delete(VnfPackageEntity, { id });
      if (entity.onboardingState === 'ONBOARDED') await publishPackage(this.store, manager, entity, 'deleted');
    });
  }

  /** The package under the lock of its row: an instance is made from it either before, or as it is afterwards. @throws RequestError 404 */
  async #locked(manager: EntityManager, tenant: string, id: string): Promise<VnfPackageEntity> {
    const row = isUuid(id)
      ? await manager.findOne(VnfPackageEntity, { where: { id, tenant }, lock: { mode: 'pessimistic_write' } })
      : null;
    if (row === null) throw unknownPackage(id);
    return row;
  }
}

/** What is told of a package. */
type PublishedPackage = Pick<VnfPackageEntity, 'id' | 'tenant' | 'vnfdId' | 'model'>;

/** What subscribers are told: events use Windlass's words, notifications SOL003's (9.3.4, 9.5.2.8, 9.5.2.9). */
async function notifiedOf(
  manager: EntityManager,
  entity: PublishedPackage,
  change: PackageChange,
): Promise<NotifiedPackageChange> {
  const { id, tenant, vnfdId, model } = entity;
  const usageState = (await manager.existsBy(VnfInstanceEntity, { vnfPkgId: id })) ? 'IN_USE' : 'NOT_IN_USE';
  const onboarding = change === 'onboarded';
  return {
    about: 'package',
    tenant,
    notificationType: onboarding ? 'VnfPackageOnboardingNotification' : 'VnfPackageChangeNotification',
    ...(onboarding ? {} : { changeType: change === 'deleted' ? 'PKG_DELETE' : 'OP_STATE_CHANGE' }),
    package: {
      id,
      ...(vnfdId === null ? {} : { vnfdId }),
      ...(model === null
        ? {}
        : {
            vnfProvider: model.provider,
            vnfProductName: model.productName,
            vnfSoftwareVersion: model.softwareVersion,
            vnfdVersion: model.descriptorVersion,
          }),
      operationalState: onboarding || change === 'enabled' ? 'ENABLED' : 'DISABLED',
      usageState,
    },
  };
}

/** Tells of a package's change, in the transaction that makes it. */
export async function publishPackage(
  store: PgLcmStore,
  manager: EntityManager,
  entity: PublishedPackage,
  change: PackageChange,
): Promise<void> {
  const { id, vnfdId } = entity;
  await store.notifyPackage(manager, await notifiedOf(manager, entity, change));
  await store.emit(manager, [eventMessage({ about: 'package', change, vnfPkgId: id, vnfdId: vnfdId ?? '' })]);
}

/** @throws RequestError 400, 409 */
function stateToSet({ id, onboardingState, operationalState }: VnfPackageEntity, wanted: 'ENABLED' | 'DISABLED'): string {
  if (onboardingState !== 'ONBOARDED')
    throw new RequestError(
      400,
      'vnf-package.not-onboarded',
      `VNF package ${id} is ${onboardingState}: only an ONBOARDED one has an operational state to change`,
    );
  if (operationalState === wanted)
    throw new RequestError(409, 'vnf-package.same-state', `VNF package ${id} is ${wanted} already`);
  return wanted;
}

/** A merge patch (RFC 7396): a null deletes, also all of it. @throws RequestError 409 */
function dataToSet({ userDefinedData }: VnfPackageEntity, patch: JsonObject | null): Json {
  const patched = mergePatch(userDefinedData, patch) ?? {};
  if (isDeepStrictEqual(patched, userDefinedData))
    throw new RequestError(409, 'vnf-package.same-data', 'userDefinedData would stay as it is');
  return patched;
}
