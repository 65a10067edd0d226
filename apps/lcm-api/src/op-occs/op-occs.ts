import { RequestError, type JsonObject, isUuid } from '@windlass/foundation';
import { retryWith, type LcmStore, type ListedOpOcc, type OpOccRecord } from '@windlass/lifecycle';
import type { DriverDescription } from '@windlass/mgmt-driver';
import type { PageWanted, PgShownRows } from '@windlass/persistence';
import type { CancelMode, Coordinator } from '@windlass/saga';
import { requireTask } from '@windlass/sol003';
import type { DataSource } from 'typeorm';
import type { RequestTrail } from '../trail/request-trail.js';
import { changedParams } from './retry-request.js';

/** Operation occurrences of a project, and the tasks on them. */
export class OpOccs {
  constructor(
    private readonly database: DataSource,
    private readonly shown: PgShownRows,
    private readonly coordinator: Coordinator,
    private readonly store: Pick<LcmStore, 'opOcc' | 'saveOpOcc'>,
    private readonly trail: Pick<RequestTrail, 'tell'>,
    private readonly drivers: { find(name: string): Promise<DriverDescription | undefined> },
  ) {}

  /** A page in the order of ids, after the marker. */
  page(wanted: PageWanted): Promise<OpOccRecord[]> {
    return this.shown.opOccs(wanted);
  }

  /** The same page, with what lists show by default. */
  listed(wanted: PageWanted): Promise<ListedOpOcc[]> {
    return this.shown.listedOpOccs(wanted);
  }

  /** @throws RequestError 404, also for another project's */
  async find(tenant: string, id: string): Promise<OpOccRecord> {
    const record = isUuid(id) ? await this.shown.opOcc(tenant, id) : undefined;
    if (record === undefined) throw new RequestError(404, 'op-occ.unknown', `there is no operation occurrence ${id}`);
    return record;
  }

  /** The steps past which no roll-back is possible, by operation id, for operations at FAILED_TEMP past their pivot. */
  async pivots(records: readonly Pick<OpOccRecord, 'id' | 'operationState'>[]): Promise<ReadonlyMap<string, string>> {
    const ids = records.filter(({ operationState }) => operationState === 'FAILED_TEMP').map(({ id }) => id);
    if (ids.length === 0) return new Map();
    const rows: { operation_id: string; id: string }[] = await this.database.query(
      `SELECT operation_id, id FROM lcm.step WHERE operation_id = ANY($1::uuid[]) AND ever_claimed AND traits->>'pivot' = 'true'`,
      [ids],
    );
    return new Map(rows.map(({ operation_id: operationId, id }) => [operationId, id]));
  }

  /**
   * Goes on with an operation.
   * @param body reads the parameters that it changes, once the operation is found and may be retried
   * @throws RequestError 400 with the path of each that it can't, 404, 409
   */
  async retry(tenant: string, id: string, body: () => JsonObject): Promise<void> {
    const record = await this.find(tenant, id);
    requireTask(taskStateOf(record), 'retry');
    const given = body();
    const names = Object.keys(given);
    if (names.length === 0) return this.coordinator.retry(id);
    const descriptions = await Promise.all((record.draft.drivers ?? []).map((name) => this.drivers.find(name)));
    const drivers = descriptions.filter((description) => description !== undefined);
    changedParams(record, given, drivers);
    this.trail.tell({ additionalParams: names.join(', ') });
    await this.coordinator.retry(id, async (tx) => {
      const opOcc = await this.store.opOcc(tx.handle, id);
      retryWith(opOcc, changedParams(opOcc, given, drivers), names);
      await this.store.saveOpOcc(tx.handle, opOcc);
    });
  }

  async rollback(tenant: string, id: string, checkBody: () => void): Promise<void> {
    requireTask(taskStateOf(await this.find(tenant, id)), 'rollback');
    checkBody();
    await this.coordinator.rollback(id);
  }

  async fail(tenant: string, id: string, checkBody: () => void): Promise<OpOccRecord> {
    requireTask(taskStateOf(await this.find(tenant, id)), 'fail');
    checkBody();
    await this.coordinator.abandon(id);
    return this.find(tenant, id);
  }

  async cancel(tenant: string, id: string, mode: CancelMode): Promise<void> {
    requireTask(taskStateOf(await this.find(tenant, id)), 'cancel');
    await this.coordinator.cancel(id, mode);
  }
}

export const taskStateOf = ({ operation, operationState, isCancelPending, cancelMode }: OpOccRecord) => ({
  operation,
  operationState,
  isCancelPending,
  ...(cancelMode === null ? {} : { cancelMode }),
});
