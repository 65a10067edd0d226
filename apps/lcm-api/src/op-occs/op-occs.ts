import { RequestError } from '@windlass/foundation';
import type { ListedOpOcc, OpOccRecord } from '@windlass/lifecycle';
import type { PageWanted, PgShownRows } from '@windlass/persistence';
import type { CancelMode, Coordinator } from '@windlass/saga';
import { isUuid, requireTask } from '@windlass/sol003';
import type { DataSource } from 'typeorm';

/** Operation occurrences of a project, and the tasks on them. */
export class OpOccs {
  constructor(
    private readonly database: DataSource,
    private readonly shown: PgShownRows,
    private readonly coordinator: Coordinator,
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

  /** For those that stand at FAILED_TEMP past their pivot: the step beyond which nothing can be rolled back, by the operation's id. */
  async pivots(records: readonly Pick<OpOccRecord, 'id' | 'operationState'>[]): Promise<ReadonlyMap<string, string>> {
    const ids = records.filter(({ operationState }) => operationState === 'FAILED_TEMP').map(({ id }) => id);
    if (ids.length === 0) return new Map();
    const rows: { operation_id: string; id: string }[] = await this.database.query(
      `SELECT operation_id, id FROM lcm.step WHERE operation_id = ANY($1::uuid[]) AND ever_claimed AND traits->>'pivot' = 'true'`,
      [ids],
    );
    return new Map(rows.map(({ operation_id: operationId, id }) => [operationId, id]));
  }

  async retry(tenant: string, id: string): Promise<void> {
    requireTask(standingOf(await this.find(tenant, id)), 'retry');
    await this.coordinator.retry(id);
  }

  async rollback(tenant: string, id: string): Promise<void> {
    requireTask(standingOf(await this.find(tenant, id)), 'rollback');
    await this.coordinator.rollback(id);
  }

  async fail(tenant: string, id: string): Promise<OpOccRecord> {
    requireTask(standingOf(await this.find(tenant, id)), 'fail');
    await this.coordinator.abandon(id);
    return this.find(tenant, id);
  }

  async cancel(tenant: string, id: string, mode: CancelMode): Promise<void> {
    requireTask(standingOf(await this.find(tenant, id)), 'cancel');
    await this.coordinator.cancel(id, mode);
  }
}

export const standingOf = ({ operation, operationState, isCancelPending, cancelMode }: OpOccRecord) => ({
  operation,
  operationState,
  isCancelPending,
  ...(cancelMode === null ? {} : { cancelMode }),
});
