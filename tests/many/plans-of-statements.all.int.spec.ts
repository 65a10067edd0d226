import { days, millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { ChainKeys, PgAuditChain, PgNotificationOutbox, PgObservability, Vault } from '@windlass/persistence';
import { startCoordinator } from '@windlass/saga-coordinator';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { fillHistory } from '../../apps/workbench/src/bench/many/history.js';
import { Listener } from '../observability/support/listener.js';
import { instantiate, inState } from '../observability/support/replicas.js';
import { onboard, quiet, registerVim, startSystem, type System } from '../support/system.js';
import { RecordedPlans, tellPlans } from './support/plans.js';

const INSTANCES = '/vnflcm/v1/vnf_instances';
const OP_OCCS = '/vnflcm/v1/vnf_lcm_op_occs';

/** Enough for PostgreSQL to find a scan dear, and few enough to be made in a second or two. */
const SIZE = { instances: 2_500, occurrences: 12_000, journalDays: 100 };

let system: System;
let admin: pg.Client;
let recorded: RecordedPlans;
let vnfdId: unknown;
let sample: string;

beforeAll(async () => {
  recorded = RecordedPlans.record();
  system = await startSystem({
    lcm: { notifications: { senders: { trim: millis(300) } } },
  });
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
  const { instance, operationId } = await instantiate(system.api, vnfdId);
  await inState(system.api, operationId, 'COMPLETED');
  sample = instance;
  admin = new pg.Client({ connectionString: system.servers.postgres.adminUrl });
  await admin.connect();
  await fillHistory(system.servers.postgres.adminUrl, { part: 'past', tenant: 'default', vnfInstanceId: instance }, SIZE);
  await chain();
  await tellPlans(admin, new URL(system.servers.postgres.url).pathname.slice(1));
});
afterAll(async () => {
  vi.restoreAllMocks();
  await admin.end();
  await system.close();
});

/** What was filled in has no links yet: that is no past, but work that waits. */
async function chain(): Promise<void> {
  const trail = new PgAuditChain(system.database, new ChainKeys(system.masterKeys), 5_000);
  while ((await trail.append()).entries > 0);
}

const answered = async (path: string): Promise<JsonObject[]> => {
  const { status, data } = await system.api.get<JsonObject[]>(path);
  expect([path, status]).toEqual([path, 200]);
  return data;
};

/** What people and machines ask most. */
async function asked(): Promise<void> {
  for (const list of [INSTANCES, OP_OCCS]) {
    await answered(list);
    await answered(`${list}?nextpage_opaque_marker=80000000-0000-4000-8000-000000000000`);
    const of = list === INSTANCES ? 'id' : 'vnfInstanceId';
    await answered(`${list}?filter=(eq,${of},${sample})`);
    await answered(`${list}?all_fields&filter=(eq,id,${sample})`);
  }
  for (const filter of ['(eq,vnfInstanceName,many-000012)', `(eq,vnfInstanceName,vnf-${sample})`])
    await answered(`${INSTANCES}?filter=${filter}`);
  for (const state of ['FAILED_TEMP', 'PROCESSING', 'FAILED', 'ROLLED_BACK', 'COMPLETED'])
    await answered(`${OP_OCCS}?filter=(eq,operationState,${state})`);
  for (const query of ['', `?vnfInstanceId=${sample}`, '?before=2020-01-01T00:00:00Z', '?from=2050-01-01T00:00:00Z'])
    await answered(`/windlass/v1/audit_trail${query}`);
  await answered(`${INSTANCES}/${sample}`);
  await answered('/vnfpkgm/v1/vnf_packages');
  await answered('/windlass/v1/clean_ups');
  await answered('/v1.0/vims');
}

/** One VNF from its creation to its deletion, watched. */
async function lived(): Promise<void> {
  const events = await Listener.open(`${system.api.defaults.baseURL}/windlass/v1/events`, 'test-token');
  const { instance, operationId } = await instantiate(system.api, vnfdId);
  await inState(system.api, operationId, 'COMPLETED');
  await answered(`/windlass/v1/operations/${operationId}/steps`);
  const accepted = await system.api.post(`${INSTANCES}/${instance}/terminate`, {
    terminationType: 'FORCEFUL',
  });
  await inState(system.api, String(accepted.headers.location).split('/').at(-1)!, 'COMPLETED');
  expect((await system.api.delete(`${INSTANCES}/${instance}`)).status).toBe(204);
  events.close();
}

/** A coordinator that purges and looks at everything at once, and tells its metrics. */
async function ranByThemselves(): Promise<void> {
  const { database, masterKeys, policy, link, servers } = system;
  const coordinator = await startCoordinator({
    link,
    database,
    databaseUrl: servers.postgres.url,
    masterKeys,
    policy,
    replica: 'c2',
    user: servers.nats.user,
    sweepEvery: millis(100),
    chainEvery: millis(100),
    purgeEvery: millis(100),
    retention: {
      operations: days(364),
      journals: days(98),
      trail: days(360),
      outbox: seconds(30),
    },
    snapshotEvery: days(30),
    snapshotLookEvery: millis(200),
    log: quiet,
  });
  await Promise.all([
    coordinator.limitUse(),
    coordinator.pendingInternals(),
    coordinator.certificatesEnds(),
    coordinator.newestSnapshots(),
    coordinator.trailBacklog(),
    new PgNotificationOutbox(database, new Vault(masterKeys)).totals(),
  ]);
  // As a live view looks after each commit that wakes it.
  const observed = new PgObservability(database);
  const { position } = await observed.snapshot({ tenant: 'default' });
  await observed.since(position, { tenant: 'default' });
  await waitUntil(
    async (seen) => {
      const { rows } = await admin.query<{ left: number }>(
        `SELECT count(*)::int AS left FROM lcm.operation WHERE status_since < now() - interval '364 days' AND status <> 'suspended'`,
      );
      seen(`${rows[0]?.left} operations`);
      return rows[0]?.left === 0 || undefined;
    },
    {
      for: 'the oldest to be purged',
      within: seconds(300),
      every: millis(200),
    },
  );
  await coordinator.stop();
}

/** Tables that are no longer for more of the past, and what bounds them. */
const BOUNDED: Readonly<Record<string, string>> = {
  notification: 'what waits for subscribers that are away: 24 hours, and `maxPending` each',
  notified_change: 'as long as a notification of it waits',
  outbox: 'an hour',
  payload: 'operations that are not final',
};

/** Rows that one node of a plan looks at at most: some pages of a list, or a batch of a purge with its steps. A scan that ends with its first row is none of everything. */
const MOST_ROWS = 1_000;

/** With enough rows that PostgreSQL knows of, and no bound. */
async function grownTables(): Promise<Set<string>> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('lcm', 'package', 'vim') AND c.relkind = 'r' AND c.reltuples >= 1000`,
  );
  return new Set(rows.map(({ name }) => name).filter((name) => !Object.hasOwn(BOUNDED, name)));
}

it('no statement that is asked for, or runs by itself, reads more where there is more of the past', async () => {
  // Connections that were ended are noticed with the next request of each.
  await expect.poll(async () => (await system.api.get(INSTANCES)).status).toBe(200);
  await asked();
  await lived();
  await ranByThemselves();
  const grown = await grownTables();
  expect([...grown]).toEqual(expect.arrayContaining(['operation', 'vnf_lcm_op_occ', 'step', 'audit_trail', 'vnf_instance']));
  const runs = recorded.runs(grown);
  // Each of these is the only one of its kind: what the story leaves out is seen here.
  for (const part of [
    'journal_purged_at = clock',
    'FROM lcm.outbox ORDER BY id',
    'pg_locks',
    'changed_in >=',
    'DELETE FROM lcm.operation',
  ])
    expect(
      runs.some(({ statement }) => statement.includes(part)),
      part,
    ).toBe(true);
  const found = runs.flatMap(({ statement, readings }) =>
    readings
      .filter(({ rows }) => rows > MOST_ROWS)
      .map(({ table, how, index, rows }) => `${how} ${index ?? ''} of ${table}, ${rows} rows: ${statement.slice(0, 300)}`),
  );
  expect([...new Set(found)]).toEqual([]);
});
