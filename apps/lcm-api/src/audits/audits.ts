import { RequestError } from '@windlass/foundation';
import type { InternalKind, InternalRecord } from '@windlass/lifecycle';
import { auditedVims, PgLcmStore, type Vault } from '@windlass/persistence';
import type { Coordinator } from '@windlass/saga';
import type { DataSource } from 'typeorm';

const isUuid = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);

/** Clean-ups that a list shows at most, the newest first. */
const MAX_SHOWN = 200;

/** Audits of what a project has in its VIMs, and the clean-ups that remove orphans. */
export class Audits {
  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
    private readonly store: PgLcmStore,
    private readonly coordinator: Pick<Coordinator, 'abandon'>,
  ) {}

  /** Begins a saga that lists and compares; with `fix` it begins clean-ups of orphans. @returns its id */
  begin(tenant: string, fix: boolean): Promise<string> {
    return this.database.transaction(async (manager) => {
      const vims = await auditedVims({ store: this.store, vault: this.vault }, manager, tenant);
      return this.store.beginInternal(manager, {
        kind: 'AUDIT',
        tenant,
        vnfInstanceId: null,
        vimId: null,
        subject: { vims, fix },
      });
    });
  }

  /** @throws RequestError 404, also for another project's and for another kind */
  async find<K extends InternalKind>(tenant: string, id: string, kind: K): Promise<InternalRecord<K>> {
    const unknown = new RequestError(404, 'internal-operation.unknown', `there is no ${kind} ${id}`);
    if (!isUuid(id)) throw unknown;
    const record = await this.store.internal<K>(this.database.manager, id);
    if (record.tenant !== tenant || record.kind !== kind) throw unknown;
    return record;
  }

  cleanUps(tenant: string): Promise<InternalRecord<'CLEAN_UP'>[]> {
    return this.store.internals(this.database.manager, tenant, 'CLEAN_UP', MAX_SHOWN);
  }

  /**
   * Ends a clean-up whose work can't be done, for example because the VIM is gone. What it was to remove stays, and an audit reports it.
   * @throws RequestError 404 as `find`; 409 for a clean-up that has ended, and while an attempt runs
   */
  async giveUp(tenant: string, id: string): Promise<InternalRecord<'CLEAN_UP'>> {
    const { state } = await this.find(tenant, id, 'CLEAN_UP');
    if (state !== 'PENDING') throw new RequestError(409, 'clean-up.ended', `the clean-up ${id} has ended: it is ${state}`);
    try {
      await this.coordinator.abandon(id);
    } catch (error) {
      if (!(error instanceof RequestError && error.status === 409)) throw error;
      const detail = `the clean-up ${id} is being tried at this moment: give it up when the attempt has failed (GET shows \`retryAt\` then)`;
      throw new RequestError(409, 'clean-up.under-way', detail, { cause: error });
    }
    return this.find(tenant, id, 'CLEAN_UP');
  }
}
