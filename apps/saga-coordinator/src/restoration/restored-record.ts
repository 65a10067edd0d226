import type { MessagingLog } from '@windlass/messaging';
import {
  auditedVims,
  type Incarnation,
  type PgLcmStore,
  type PgRestoration,
  type RestoredAudit,
  type Vault,
} from '@windlass/persistence';
import { EPOCHS_OF_AN_INCARNATION, type Restoration } from '@windlass/saga';
import type { EntityManager } from 'typeorm';

/** Seconds before a VIM that could not be looked at is looked at again. */
const AGAIN_AFTER = 30;

/**
 * What this process knows of the record's incarnation, and what it does about a record that was brought back: it has every project's VIMs
 * audited, and lets nothing else be claimed before.
 */
export class RestoredRecord implements Restoration {
  #current: Incarnation | undefined;

  private constructor(
    private readonly restoration: PgRestoration,
    private readonly store: PgLcmStore,
    private readonly vault: Vault,
    private readonly log: MessagingLog,
  ) {}

  static async read(restoration: PgRestoration, store: PgLcmStore, vault: Vault, log: MessagingLog): Promise<RestoredRecord> {
    const record = new RestoredRecord(restoration, store, vault, log);
    record.#current = await restoration.current();
    if (record.waits) log.warn('the record was restored: nothing is claimed before its VIMs are audited', record.#words());
    return record;
  }

  /** Nothing is claimed yet but audits. */
  get waits(): boolean {
    return this.#current !== undefined && this.#current.releasedAt === null;
  }

  get epochBase(): number {
    return (this.#current?.number ?? 0) * EPOCHS_OF_AN_INCARNATION;
  }

  holds(operationId: string): boolean | Promise<boolean> {
    return this.waits && this.restoration.isAudit(operationId).then((is) => !is);
  }

  isUnknown(operationId: string, stepId: string): boolean | Promise<boolean> {
    return (this.#current?.unknownSteps ?? 0) > 0 && this.restoration.isUnknown(operationId, stepId);
  }

  isKnown(operationId: string, stepId: string): Promise<void> {
    return this.restoration.isKnown(operationId, stepId);
  }

  /** One look: the incarnation as it is now; while it waits, audits that are to be begun, and its release after the last. */
  async sweep(): Promise<void> {
    const waited = this.waits;
    this.#current = await this.restoration.current();
    if (this.#current !== undefined && this.waits) {
      await this.#audit(this.#current.number);
      this.#current = await this.restoration.current();
    }
    if (waited && this.#current?.releasedAt !== null)
      this.log.info('the restored record is released: work begins', this.#words());
  }

  async #audit(incarnation: number): Promise<void> {
    await this.restoration.alone(async (manager) => {
      const audits = await this.restoration.audits(incarnation, manager);
      let open = false;
      for (const tenant of await this.restoration.tenants(manager)) {
        const audit = audits.find((one) => one.tenant === tenant);
        if (audit !== undefined && hasLooked(audit)) continue;
        open = true;
        if (audit === undefined || (audit.state !== 'PENDING' && audit.age > AGAIN_AFTER))
          await this.#begin(manager, incarnation, tenant);
      }
      if (!open) await this.restoration.release(manager, incarnation, 'audits');
    });
  }

  async #begin(manager: EntityManager, incarnation: number, tenant: string): Promise<void> {
    const vims = await auditedVims({ store: this.store, vault: this.vault }, manager, tenant);
    const begin = { kind: 'AUDIT', tenant, vnfInstanceId: null, vimId: null, subject: { vims, fix: false } } as const;
    await this.restoration.addAudit(manager, incarnation, tenant, await this.store.beginInternal(manager, begin));
  }

  #words(): Record<string, unknown> {
    const { number, cause, recordOf, unknownSteps, releasedBy } = this.#current ?? {};
    return { incarnation: number, cause, recordOf: recordOf?.toISOString(), unknownSteps, releasedBy };
  }
}

/** Whether an audit has looked at every VIM. */
const hasLooked = ({ state, report }: RestoredAudit): boolean =>
  state === 'DONE' && report?.vims.every(({ failure }) => failure === undefined) === true;
