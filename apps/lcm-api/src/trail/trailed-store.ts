import type { InternalKind, InternalRecord, LcmEvent } from '@windlass/lifecycle';
import { PgLcmStore, type Vault } from '@windlass/persistence';
import { EntityManager, type DataSource } from 'typeorm';
import type { RequestTrail } from './request-trail.js';

/** The store of lcm-api: each change of an instance or an operation emits its events, and writes the entry of its request, in its own transaction. */
export class TrailedStore extends PgLcmStore {
  constructor(
    database: DataSource,
    vault: Vault,
    private readonly trail: RequestTrail,
  ) {
    super(database, vault);
  }

  /** A person may end one: that is told to nobody but whoever looks. */
  override async saveInternal<K extends InternalKind>(handle: unknown, record: InternalRecord<K>): Promise<void> {
    await super.saveInternal(handle, record);
    if (!(handle instanceof EntityManager)) return;
    const { id: operationId, vnfInstanceId } = record;
    await this.trail.note(handle, { operationId, ...(vnfInstanceId === null ? {} : { vnfInstanceId }) });
  }

  override async emit(handle: unknown, events: readonly LcmEvent[]): Promise<void> {
    if (!(handle instanceof EntityManager)) return super.emit(handle, events);
    const messages = events.map(({ message }) => message);
    const named = (member: string): string | undefined =>
      messages.map((message) => message[member]).find((value): value is string => typeof value === 'string');
    const vnfInstanceId = named('vnfInstanceId');
    const operationId = named('operationId');
    const subject = {
      ...(vnfInstanceId === undefined ? {} : { vnfInstanceId }),
      ...(operationId === undefined ? {} : { operationId }),
    };
    const written = await this.trail.note(handle, subject, (entry) => this.emitWithEntry(handle, events, entry));
    if (!written) await super.emit(handle, events);
  }
}
