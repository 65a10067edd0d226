import { days, hours } from '@windlass/foundation';
import {
  certificatesEnds,
  ChainKeys,
  inTransaction,
  parseMasterKeys,
  PgAuditChain,
  PgAuditTrail,
  PgInternalLooks,
  PgJournal,
  PgLcmStore,
  PgNotificationOutbox,
  PgObservability,
  PgOutbox,
  PgPurge,
  PgSnapshotSchedule,
  Vault,
} from '@windlass/persistence';
import type { DataSource } from 'typeorm';

/** What is asked of PostgreSQL by services and for metrics, by what it is. Each does what its service does once. */
export type Looks = Readonly<Record<string, () => Promise<unknown>>>;

/** Older than everything that there is: such a purge finds nothing, and has to know it. */
const NOTHING_SO_OLD = days(500);

/** By the code of the services, over connections of the bench's own. */
export function looksOf(database: DataSource, url: string, masterKey: string, tenant: string): Looks {
  const masterKeys = parseMasterKeys(masterKey);
  const vault = new Vault(masterKeys);
  const journal = new PgJournal(database, vault);
  const store = new PgLcmStore(database, vault);
  const internals = new PgInternalLooks(database);
  const purge = new PgPurge(database);
  const outbox = new PgOutbox(database, url);
  const chain = new PgAuditChain(database, new ChainKeys(masterKeys), 5_000);
  const notifications = new PgNotificationOutbox(database, vault);
  const observed = new PgObservability(database);
  const schedule = new PgSnapshotSchedule(database, store);
  const trail = new PgAuditTrail(database);
  const newest = (filter: object, unowned: boolean) => trail.page({ tenant, unowned }, filter, undefined, 100);
  return {
    'sweep: what is due and awaited': () => journal.look(100),
    'internal operations to be moved': () => internals.toBeMoved(10),
    'purge: journals': () => purge.journals(NOTHING_SO_OLD),
    'purge: inputs and outputs': () => purge.payloads(),
    'purge: internal operations': () => purge.internals(NOTHING_SO_OLD),
    'purge: occurrences': () => purge.operations(NOTHING_SO_OLD),
    'purge: outbox': () => outbox.purge(hours(1) / 1_000),
    'chain of the audit trail': () => chain.append(),
    'audit trail, newest page': () => newest({}, false),
    'audit trail, newest page with what is nobody’s': () => newest({}, true),
    'schedule of snapshots': () => schedule.begin(days(400), 10),
    'notifications: what is due': () => notifications.claim('bench', hours(1), 50),
    'notifications: what is too old': () => notifications.trim(days(400), 1_000_000),
    'notifications: what nobody waits for': () => notifications.sweep(),
    'live view: what is open': () => observed.snapshot({ tenant }),
    'live view: what has changed': async () => observed.since((await observed.snapshot({ tenant })).position, { tenant }),
    'audit: what the database has': () => inTransaction(database, (manager) => store.auditView(manager, new Date())),
    'metrics: limits': () => journal.limitUse(),
    'metrics: internal operations': () => store.transact((handle) => store.pendingInternals(handle)),
    'metrics: certificates': () => certificatesEnds(database.manager, 500),
    'metrics: snapshots': () => schedule.newest(500),
    'metrics: audit trail': () => chain.backlog(),
    'metrics: notifications': () => notifications.totals(),
  };
}
