import { SecretPlaces } from '@windlass/foundation';
import {
  propertiesOf,
  taskConditionsOf,
  type ListedInstance,
  type ListedOpOcc,
  type OperationTable,
  type OpOccRecord,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import {
  APIS,
  opOccUrl,
  renderInstanceV2,
  renderOpOccV2,
  vnfInstanceUrl,
  type ScaleInfo,
  type VnfInstanceV2,
  type VnfLcmOpOcc,
} from '@windlass/sol003';
import type { PgLcmStore } from '@windlass/persistence';
import type { VnfPackageModel } from '@windlass/vnf-package';
import type { DataSource } from 'typeorm';
import type { PublicUrl } from '../links/public-url.js';
import type { DriverChecks } from '../instances/check-request.js';
import { asListedInstance, asListedOpOcc, asOpOcc, asVnfInstance } from '../rendering/rendering.js';

const LCM = APIS.vnflcmV2.uriPrefix;

/** What v2 shows of the packages of instances. */
export interface PackageModels {
  modelOf(vnfPkgId: string): Promise<VnfPackageModel>;
}

/** The models of the packages as the lifecycle's store has them, which keeps the last few in memory. */
export const packageModels = (store: PgLcmStore, { manager }: DataSource): PackageModels => ({
  modelOf: async (vnfPkgId) => (await store.package(manager, vnfPkgId)).model,
});

/** From records to what `/vnflcm/v2` answers: credentials left out, other secrets masked, links from the public URL. */
export class RenderingV2 {
  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly drivers: Pick<DriverChecks, 'secrets'>,
    private readonly operations: OperationTable,
    private readonly packages: PackageModels,
  ) {}

  async vnfInstance(record: VnfInstanceRecord): Promise<VnfInstanceV2> {
    const { instantiated } = record;
    const secrets = instantiated === null ? SecretPlaces.none : await this.drivers.secrets.of(instantiated.drivers);
    const offered = this.operations.tasksOf(taskConditionsOf(record));
    const { vnfcs: vnfcProperties = {} } = propertiesOf(record);
    const more = { maxScaleLevels: await this.#maxScaleLevels(record), vnfcProperties };
    return renderInstanceV2(asVnfInstance(record), this.publicUrl.of(LCM), secrets, offered, more);
  }

  /** With what lists show by default, in which no driver's parameters are. */
  listedInstance(listed: ListedInstance): VnfInstanceV2 {
    const offered = this.operations.tasksOf(listed);
    return renderInstanceV2(asListedInstance(listed), this.publicUrl.of(LCM), SecretPlaces.none, offered, {});
  }

  /** @param pastPivot the step beyond which nothing can be rolled back, where the operation stands past it: then no roll-back is offered */
  async opOcc(record: OpOccRecord, pastPivot: string | undefined): Promise<VnfLcmOpOcc> {
    const secrets = await this.drivers.secrets.of(record.draft.drivers);
    return renderOpOccV2(asOpOcc(record), this.publicUrl.of(LCM), { pastPivot }, secrets, record.draft.vnfcVdus ?? {});
  }

  /** As {@link opOcc}, with what lists show by default. */
  listedOpOcc(listed: ListedOpOcc, pastPivot: string | undefined): VnfLcmOpOcc {
    return renderOpOccV2(asListedOpOcc(listed), this.publicUrl.of(LCM), { pastPivot }, SecretPlaces.none, {});
  }

  vnfInstanceUrl(id: string): string {
    return vnfInstanceUrl(this.publicUrl.of(LCM), id);
  }

  opOccUrl(id: string): string {
    return opOccUrl(this.publicUrl.of(LCM), id);
  }

  async #maxScaleLevels({ instantiated, vnfPkgId }: VnfInstanceRecord): Promise<ScaleInfo[]> {
    if (instantiated === null) return [];
    const { flavours } = await this.packages.modelOf(vnfPkgId);
    const flavour = flavours.find(({ id }) => id === instantiated.info.flavourId);
    return (flavour?.scalingAspects ?? []).map(({ id, maxScaleLevel }) => ({ aspectId: id, scaleLevel: maxScaleLevel }));
  }
}
