import { InvariantError, millis, RequestError, type Duration, type JsonObject } from '@windlass/foundation';
import type {
  ClusterAccess,
  LcmChange,
  LcmEvent,
  LcmStore,
  OpOccRecord,
  PackageRecord,
  VimAccess,
  VimChoice,
  VnfInstanceRecord,
  WantedImage,
} from '@windlass/lifecycle';
import type { DriverDescription } from '@windlass/mgmt-driver';
import type { OfferedAction, StepRecord } from '@windlass/saga';
import type { DataSource, EntityManager } from 'typeorm';
import { copyOf } from '../copy-of.js';
import { rowsOf } from '../database.js';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import { VnfLcmOpOccEntity } from '../entities/vnf-lcm-op-occ.entity.js';
import { VnfPackageEntity } from '../entities/vnf-package.entity.js';
import {
  NOTIFICATIONS_CHANNEL,
  recordLcmChange,
  recordPackageChange,
  type PackageChange,
} from '../notifications/record-change.js';
import { OUTBOX_CHANNEL, OutboxNotifier, RECORD_CHANGED, VIEWS_PAUSE } from '../outbox/outbox-notifier.js';
import { runPrepared, type Statement } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';
import { findOccurrence, findPrepared, occurrenceUpdate, updateInstance } from './entity-statements.js';
import { managerOf } from './handle.js';
import { instanceOf, instanceRow, opOccOf, opOccRow } from './instance-rows.js';
import { PgInternalStore } from './pg-internal-store.js';
import {
  dropImageReferences,
  expireImages,
  forgetSharedImages,
  referToImages,
  strayReferrers,
  unusedImages,
  type StrayImage,
} from './shared-images.js';
import {
  afterCommit,
  forget,
  holdWrite,
  inTransaction,
  note,
  noted,
  oneAtATime,
  remember,
  remembered,
  remembers,
} from '../transaction.js';
import { ADD_ENTRY, entryValues, INSERT_ENTRY, type RequestEntry } from '../trail/pg-audit-trail.js';
import { rowsAsJson, type HeldRows } from '../written-together.js';
import { chooseVim, clusterAccess, vimAccess } from './vim-access.js';

const INSERT_EVENTS: Statement = {
  name: 'windlass outbox insert',
  text: `INSERT INTO lcm.outbox (subject, message) SELECT e->>'subject', e->'message' FROM jsonb_array_elements($1::jsonb) AS e`,
};

/** Both in one statement: of what a change costs, most is the way to PostgreSQL and back. */
const INSERT_EVENTS_AND_ENTRY: Statement = {
  name: 'windlass outbox insert with audit trail entry',
  text: `WITH entry AS (${INSERT_ENTRY})
    INSERT INTO lcm.outbox (subject, message) SELECT e->>'subject', e->'message' FROM jsonb_array_elements($14::jsonb) AS e`,
};

/** Packages that a process keeps in memory, the first read dropped first. */
const PACKAGES_KEPT = 16;

/** Of the subjects of events, which nobody waits for; all others wake somebody. */
const EVENT_PREFIX = 'windlass.event.';

const opOccKey = (id: string): string => `op-occ ${id}`;
const instanceKey = (id: string): string => `vnf-instance ${id}`;
/** Of an instance's row as it was read with its occurrence, its secrets sealed. */
const instanceRowKey = (id: string): string => `row of vnf-instance ${id}`;
/** Of an occurrence's request as it stands in the database. */
const requestKey = (id: string): string => `request of op-occ ${id}`;

type HeldEvents = HeldRows & { events: readonly LcmEvent[] };

const heldEvents = (events: readonly LcmEvent[]): HeldEvents => ({ ...rowsAsJson(INSERT_EVENTS, () => events), events });

/** The lifecycle's records in PostgreSQL. A handle is a TypeORM entity manager: the engine's transaction, or one of its own. */
export class PgLcmStore extends PgInternalStore implements LcmStore {
  readonly #relays: OutboxNotifier;
  readonly #views: OutboxNotifier;
  readonly #senders: OutboxNotifier;
  /** What was onboarded never changes, and an id is never used again. Readers must not change it. */
  readonly #packages = new Map<string, PackageRecord>();

  constructor(
    private readonly database: DataSource,
    vault: Vault,
    /** How long a shared image that nobody refers to stays for whoever comes next; it does not unless given. */
    private readonly imagesKeptFor: Duration = millis(0),
  ) {
    super(vault);
    this.#relays = new OutboxNotifier(database);
    this.#views = new OutboxNotifier(database, { word: RECORD_CHANGED, views: VIEWS_PAUSE });
    this.#senders = new OutboxNotifier(database, { channel: NOTIFICATIONS_CHANNEL });
  }

  transact<T>(work: (handle: unknown) => Promise<T>): Promise<T> {
    return inTransaction(this.database, work);
  }

  referToImages(
    handle: unknown,
    referrer: { tenant: string; vnfInstanceId: string; vim: VimChoice },
    wanted: readonly WantedImage[],
  ): Promise<Record<string, string>> {
    const manager = managerOf(handle);
    return oneAtATime(manager, () => referToImages(manager, referrer, wanted));
  }

  dropImageReferences(handle: unknown, vnfInstanceId: string, untouched = false): Promise<string[]> {
    const manager = managerOf(handle);
    return oneAtATime(manager, () => dropImageReferences(manager, vnfInstanceId, { untouched, kept: this.imagesKeptFor > 0 }));
  }

  /** Shared images that nobody has referred to for as long as they are kept: the caller begins their deletion. */
  expireImages(handle: unknown, limit: number): Promise<StrayImage[]> {
    return expireImages(managerOf(handle), this.imagesKeptFor, limit);
  }

  forgetSharedImages(handle: unknown, ids: readonly string[]): Promise<void> {
    return forgetSharedImages(managerOf(handle), ids);
  }

  strayReferrers(handle: unknown, limit: number, only?: string): Promise<string[]> {
    return strayReferrers(managerOf(handle), limit, only);
  }

  unusedImages(handle: unknown, limit: number): Promise<StrayImage[]> {
    return unusedImages(managerOf(handle), limit);
  }

  opOcc(handle: unknown, id: string): Promise<OpOccRecord> {
    const manager = managerOf(handle);
    return remembered(manager, opOccKey(id), async () => {
      const found = await this.#readOpOcc(manager, id);
      if (found === null) throw new RequestError(404, 'op-occ.unknown', `there is no operation occurrence ${id}`);
      const opOcc = opOccOf(found, this.vault);
      note(manager, requestKey(id), JSON.stringify(opOcc.request));
      return opOcc;
    });
  }

  async #readOpOcc(manager: EntityManager, id: string): Promise<VnfLcmOpOccEntity | null> {
    if (!remembers(manager)) return findPrepared(manager, VnfLcmOpOccEntity, 'windlass occurrence', { id });
    const found = await findOccurrence(manager, id);
    if (found?.instance != null) note(manager, instanceRowKey(found.instance.id), found.instance);
    return found?.opOcc ?? null;
  }

  async saveOpOcc(handle: unknown, opOcc: OpOccRecord): Promise<void> {
    const manager = managerOf(handle);
    const kept = copyOf(opOcc);
    const { request: _request, ...open } = kept;
    const isAsRead = noted(manager, requestKey(opOcc.id)) === JSON.stringify(opOcc.request);
    await holdWrite(manager, `windlass occurrence ${opOcc.id}`, () =>
      occurrenceUpdate(manager, !isAsRead, () => (isAsRead ? open : opOccRow(kept, this.vault))),
    );
    remember(manager, opOccKey(opOcc.id), kept);
  }

  async ageOfOpOcc(handle: unknown, id: string): Promise<Duration> {
    const [row] = await rowsOf<{ age: number }>(
      managerOf(handle),
      `SELECT extract(epoch FROM clock_timestamp() - created_at)::float8 * 1000 AS age FROM lcm.operation WHERE id = $1`,
      [id],
    );
    if (row === undefined) throw new RequestError(404, 'op-occ.unknown', `there is no operation occurrence ${id}`);
    return millis(Math.max(0, row.age));
  }

  instance(handle: unknown, id: string): Promise<VnfInstanceRecord> {
    const manager = managerOf(handle);
    return remembered(manager, instanceKey(id), async () => {
      const read = noted(manager, instanceRowKey(id)) as VnfInstanceEntity | undefined;
      const row = read ?? (await findPrepared(manager, VnfInstanceEntity, 'windlass instance', { id }));
      if (row === null) throw new RequestError(404, 'vnf-instance.unknown', `there is no VNF instance ${id}`);
      return instanceOf(row, this.vault);
    });
  }

  async saveInstance(handle: unknown, instance: VnfInstanceRecord): Promise<void> {
    const { id, version } = instance;
    const manager = managerOf(handle);
    forget(manager, instanceKey(id));
    forget(manager, instanceRowKey(id));
    if (!(await updateInstance(manager, instanceRow(instance, this.vault))))
      throw new InvariantError(`VNF instance ${id} is not at version ${version} any more: somebody else has published it`);
  }

  async package(handle: unknown, id: string): Promise<PackageRecord> {
    const known = this.#packages.get(id);
    if (known !== undefined) return known;
    const row = await managerOf(handle).findOneBy(VnfPackageEntity, { id });
    if (row?.model == null) throw new RequestError(404, 'vnf-package.unknown', `there is no onboarded VNF package ${id}`);
    const found = { id, model: row.model, files: row.files ?? [] };
    const [oldest] = this.#packages.keys();
    if (this.#packages.size >= PACKAGES_KEPT && oldest !== undefined) this.#packages.delete(oldest);
    this.#packages.set(id, found);
    return found;
  }

  chooseVim(handle: unknown, tenant: string, request: JsonObject): Promise<VimChoice> {
    return chooseVim(managerOf(handle), tenant, request);
  }

  vimAccess(
    handle: unknown,
    tenant: string,
    choice: VimChoice,
    instance: VnfInstanceRecord,
    request: JsonObject,
  ): Promise<VimAccess> {
    return vimAccess(managerOf(handle), this.vault, tenant, choice, instance, request);
  }

  clusterAccess(handle: unknown, tenant: string, choice: VimChoice): Promise<ClusterAccess> {
    return clusterAccess(managerOf(handle), this.vault, tenant, choice);
  }

  async driver(handle: unknown, name: string): Promise<DriverDescription | undefined> {
    const [row] = await rowsOf<{ description: DriverDescription }>(
      managerOf(handle),
      'SELECT description FROM lcm.driver WHERE name = $1 AND removed_at IS NULL',
      [name],
    );
    return row?.description;
  }

  async offers(handle: unknown): Promise<OfferedAction[]> {
    const rows = await rowsOf<{ description: DriverDescription }>(
      managerOf(handle),
      `SELECT description FROM lcm.driver WHERE description ? 'offers' ORDER BY name`,
    );
    return rows.flatMap(({ description: { service, offers = [] } }) => offers.map((each) => ({ service, ...each })));
  }

  async emit(handle: unknown, events: readonly LcmEvent[]): Promise<void> {
    if (events.length > 0) await this.#emit(managerOf(handle), events);
  }

  async #emit(manager: EntityManager, events: readonly LcmEvent[]): Promise<void> {
    await holdWrite<HeldEvents>(manager, INSERT_EVENTS.name, (held) => heldEvents([...(held?.events ?? []), ...events]));
    this.#wake(manager, events);
  }

  /** As {@link emit}, and writes the entry of the request that the events come from. */
  protected async emitWithEntry(handle: unknown, events: readonly LcmEvent[], entry: RequestEntry): Promise<void> {
    const manager = managerOf(handle);
    if (remembers(manager)) {
      await holdWrite(manager, ADD_ENTRY.name, () => ({ statement: ADD_ENTRY, values: () => entryValues(entry) }));
      if (events.length > 0) await this.#emit(manager, events);
      return;
    }
    await runPrepared(manager, INSERT_EVENTS_AND_ENTRY, [...entryValues(entry), JSON.stringify(events)]);
    this.#wake(manager, events);
  }

  /** An event waits for the relays' next look, or for whatever else wakes them: nobody depends on it, and each wake-up is a transaction of every relay. */
  #wake(manager: EntityManager, events: readonly LcmEvent[]): void {
    if (events.every(({ subject }) => subject.startsWith(EVENT_PREFIX))) this.#wakeViews(manager);
    else afterCommit(manager, OUTBOX_CHANNEL, () => this.#relays.notify());
  }

  stepsMoved(handle: unknown, steps: readonly StepRecord[]): Promise<void> {
    if (steps.length > 0) this.#wakeViews(managerOf(handle));
    return Promise.resolve();
  }

  async notify(handle: unknown, change: LcmChange): Promise<void> {
    const manager = managerOf(handle);
    if (await recordLcmChange(manager, this.vault, change)) this.#wakeSenders(manager);
  }

  /** As {@link notify}, for packages; its caller writes the package's row in the same transaction. */
  async notifyPackage(manager: EntityManager, change: PackageChange): Promise<void> {
    if (await recordPackageChange(manager, this.vault, change)) this.#wakeSenders(manager);
  }

  #wakeViews(manager: EntityManager): void {
    afterCommit(manager, `${OUTBOX_CHANNEL} ${RECORD_CHANGED}`, () => this.#views.notify());
  }

  #wakeSenders(manager: EntityManager): void {
    afterCommit(manager, NOTIFICATIONS_CHANNEL, () => this.#senders.notify());
  }
}
