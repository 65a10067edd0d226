import { RequestError, type JsonObject } from '@windlass/foundation';
import { PgPackageContent, VnfInstanceEntity, VnfPackageEntity } from '@windlass/persistence';
import type { VnfPkgInfo } from '@windlass/sol003';
import { randomUUID } from 'node:crypto';
import { MoreThan, type DataSource } from 'typeorm';
import type { RequestTrail } from '../trail/request-trail.js';

/** A package as it is answered, but for its links; and whether an instance uses it. */
export type PackageView = Omit<VnfPkgInfo, '_links'> & { windlassWarnings?: string[] };

/** VNF packages of a project (SOL005 9.4; SOL003 10). */
export class VnfPackages {
  constructor(
    private readonly database: DataSource,
    private readonly content: PgPackageContent,
    private readonly trail: RequestTrail,
  ) {}

  async create(tenant: string, userDefinedData: JsonObject): Promise<VnfPackageEntity> {
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
      uploadSeenAt: null,
      createdAt: new Date(),
    } satisfies Partial<VnfPackageEntity>);
    await this.trail.withChange((manager) => manager.insert(VnfPackageEntity, entity as never));
    return entity;
  }

  async page(tenant: string, after: string | undefined, limit: number | undefined): Promise<VnfPackageEntity[]> {
    return this.database.manager.find(VnfPackageEntity, {
      where: after === undefined ? { tenant } : { tenant, id: MoreThan(after) },
      order: { id: 'ASC' },
      ...(limit === undefined ? {} : { take: limit }),
    });
  }

  /** @throws RequestError 404, also for another project's */
  async find(tenant: string, id: string): Promise<VnfPackageEntity> {
    const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
    const row = uuid ? await this.database.manager.findOneBy(VnfPackageEntity, { id, tenant }) : null;
    if (row === null) throw new RequestError(404, 'vnf-package.unknown', `there is no VNF package ${id}`);
    return row;
  }

  async isInUse(id: string): Promise<boolean> {
    return this.database.manager.existsBy(VnfInstanceEntity, { vnfPkgId: id });
  }

  /** What of a package is shown (SOL003 10.5.2.2), with the failure of its last upload (SOL005 3.3.1's `onboardingFailureDetails`). */
  async view(entity: VnfPackageEntity): Promise<PackageView> {
    const { model } = entity;
    return {
      id: entity.id,
      onboardingState: entity.onboardingState,
      operationalState: entity.operationalState,
      usageState: (await this.isInUse(entity.id)) ? 'IN_USE' : 'NOT_IN_USE',
      userDefinedData: entity.userDefinedData,
      ...(entity.checksum === null ? {} : { checksum: entity.checksum }),
      ...(entity.failure === null ? {} : { onboardingFailureDetails: entity.failure }),
      ...(entity.warnings.length === 0 ? {} : { windlassWarnings: entity.warnings }),
      ...(model === null
        ? {}
        : {
            vnfdId: model.vnfdId,
            vnfProvider: model.provider,
            vnfProductName: model.productName,
            vnfSoftwareVersion: model.softwareVersion,
            vnfdVersion: model.descriptorVersion,
            softwareImages: model.softwareImages.map((image) => ({ ...image, createdAt: entity.createdAt.toISOString() })),
            additionalArtifacts: model.additionalArtifacts,
          }),
    } as unknown as PackageView;
  }

  /** @returns the members that changed. @throws RequestError 409 where nothing would change, 400 for a state of a package that is not onboarded */
  async update(
    tenant: string,
    id: string,
    change: { operationalState?: 'ENABLED' | 'DISABLED'; userDefinedData?: JsonObject },
  ): Promise<JsonObject> {
    const entity = await this.find(tenant, id);
    const changed: JsonObject = {};
    if (change.operationalState !== undefined) {
      if (entity.onboardingState !== 'ONBOARDED')
        throw new RequestError(
          400,
          'vnf-package.not-onboarded',
          `VNF package ${id} is ${entity.onboardingState}: only an ONBOARDED one has an operational state to change`,
        );
      if (entity.operationalState === change.operationalState)
        throw new RequestError(409, 'vnf-package.same-state', `VNF package ${id} is ${change.operationalState} already`);
      changed.operationalState = change.operationalState;
    }
    if (change.userDefinedData !== undefined) {
      changed.userDefinedData = { ...entity.userDefinedData, ...change.userDefinedData };
      if (JSON.stringify(changed.userDefinedData) === JSON.stringify(entity.userDefinedData))
        throw new RequestError(409, 'vnf-package.same-data', 'userDefinedData would stay as it is');
    }
    if (Object.keys(changed).length === 0)
      throw new RequestError(400, 'request.invalid', 'give operationalState or userDefinedData');
    await this.trail.withChange((manager) => manager.update(VnfPackageEntity, { id }, changed as never));
    return changed;
  }

  /** @throws RequestError 409 while ENABLED, in use, or being uploaded */
  async delete(tenant: string, id: string): Promise<void> {
    const entity = await this.find(tenant, id);
    if (entity.operationalState === 'ENABLED')
      throw new RequestError(409, 'vnf-package.enabled', `VNF package ${id} is ENABLED: disable it first`);
    if (await this.isInUse(id))
      throw new RequestError(409, 'vnf-package.in-use', `VNF package ${id} is IN_USE: delete its VNF instances first`);
    if (entity.onboardingState === 'UPLOADING' || entity.onboardingState === 'PROCESSING')
      throw new RequestError(409, 'vnf-package.uploading', `VNF package ${id} is ${entity.onboardingState}: wait for it`);
    await this.trail.withChange((manager) => manager.delete(VnfPackageEntity, { id }));
  }

  /** The archive from a byte on, as it is kept. */
  async read(entity: VnfPackageEntity, offset: number, length: number): Promise<Buffer> {
    return this.content.read(entity.id, entity.uploadEpoch, offset, length);
  }
}
