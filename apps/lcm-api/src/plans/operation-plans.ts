import type { JsonObject } from '@windlass/foundation';
import {
  previewOf,
  type OperationDefinition,
  type OperationPreview,
  type OperationTable,
  type OpOccRecord,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import type { RequestClient } from '@windlass/messaging';
import { PgStepDurations, type PgLcmStore } from '@windlass/persistence';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { DriverRegistry } from '../drivers/driver-registry.js';
import { occurrenceOf } from '../instances/accept-operation.js';
import type { ReadBody, VnfInstances } from '../instances/vnf-instances.js';
import { grantedBy } from './granted-by.js';

/** What an operation would do, as it is answered (docs/contracts/rest-extensions.md). */
export interface ShownPlan extends OperationPreview {
  operation: string;
  vnfInstanceId: string;
  /** What a person should know of the request although it is no error. */
  warnings: string[];
}

/** The steps with which an NFVO would be asked may be missing then. */
const GRANT_UNKNOWN = 'no coordinator says whether an NFVO would be asked for the grant: the grant is shown as the local one';

/** Plans of operations before they are asked for. The request is checked as usual, and nothing is stored. */
export class OperationPlans {
  readonly #durations: PgStepDurations;

  constructor(
    private readonly database: DataSource,
    private readonly store: PgLcmStore,
    private readonly instances: VnfInstances,
    private readonly drivers: DriverRegistry,
    private readonly operations: OperationTable,
    private readonly client: Pick<RequestClient, 'request'>,
    private readonly sharesImages: boolean,
  ) {
    this.#durations = new PgStepDurations(database);
  }

  /** @throws RequestError as the operation itself when it is asked for */
  async of(
    tenant: string,
    vnfInstanceId: string,
    definition: OperationDefinition,
    body: JsonObject,
    read?: ReadBody,
    ifMatch?: string,
  ): Promise<ShownPlan> {
    const { operation } = definition;
    const found = await this.instances.check(tenant, vnfInstanceId, definition, body, read, ifMatch);
    const { instance, package: record, checked } = found;
    const accepted = occurrenceOf(randomUUID(), { tenant, vnfInstanceId, operation, vnfcVdus: {}, ...checked });
    const opOcc = await this.#withVim(accepted, definition, instance);
    const { manager } = this.database;
    const granting = definition.grant === null ? 'nobody' : await grantedBy(this.client);
    const preview = await previewOf(
      {
        definition,
        operations: this.operations,
        opOcc,
        instance,
        package: record,
        secrets: await this.drivers.secrets.of(checked.drivers),
        asksNfvo: granting === 'nfvo',
        sharesImages: this.sharesImages,
      },
      {
        driver: (name) => this.drivers.find(name),
        offers: () => this.store.offers(manager),
        plan: (driver, context) => this.drivers.plan(driver, context),
        durations: (actions) => this.#durations.of(actions),
      },
    );
    const warnings = granting === undefined ? [...checked.warnings, GRANT_UNKNOWN] : checked.warnings;
    return { operation, vnfInstanceId, warnings, ...preview };
  }

  /** As the coordinator chooses when the operation begins. */
  async #withVim(opOcc: OpOccRecord, { usesVim }: OperationDefinition, instance: VnfInstanceRecord): Promise<OpOccRecord> {
    const there = instance.instantiated?.vim;
    const vim = there ?? (usesVim ? await this.store.chooseVim(this.database.manager, opOcc.tenant, opOcc.request) : undefined);
    return vim === undefined ? opOcc : { ...opOcc, draft: { ...opOcc.draft, vim } };
  }
}
