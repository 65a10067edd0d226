import { Client, type ClientBase } from 'pg';
import { InvariantError } from '@windlass/foundation';
import { copy, noise } from './copies.js';

/** How much there is after {@link fillHistory}. */
export interface HistorySize {
  /** VNF instances. */
  instances: number;
  /** Operation occurrences, spread over {@link HISTORY_DAYS}. */
  occurrences: number;
  /** The journals of so many days are there: {@link JOURNAL_DAYS} unless given. */
  journalDays?: number;
}

/** What a history is made of. */
export interface HistorySample {
  /** Tells what is added now from what was added before: a word. */
  part: string;
  /** The project that has most of it: of each ten rows eight are its own, one each of two other projects. */
  tenant: string;
  /** An instance that the product made and instantiated: what rows are copied from. */
  vnfInstanceId: string;
}

/** How long operations have been going on. */
export const HISTORY_DAYS = 365;
/** Steps are there of the operations of so many days; of others the journal was purged. */
export const JOURNAL_DAYS = 14;

/** SQL of the id of the thing with a number in a part of the history. */
const idOf = (what: string, part: string, n = 'n'): string => `md5('${what} ${part} ' || (${n}))::uuid`;

/** Of each thousand operations one stands at FAILED_TEMP, a hundredth of the others came to nothing. */
const STATES = `CASE WHEN n % 1000 = 7 AND n < {instances} THEN {suspended} WHEN n % 200 = 3 THEN {failed} WHEN n % 200 = 5 THEN {rolledBack} ELSE {completed} END`;

const states = (instances: number, suspended: string, failed: string, rolledBack: string, completed: string): string =>
  STATES.replace('{instances}', String(instances))
    .replace('{suspended}', `'${suspended}'`)
    .replace('{failed}', `'${failed}'`)
    .replace('{rolledBack}', `'${rolledBack}'`)
    .replace('{completed}', `'${completed}'`);

/** Ages follow the numbers: the first operation is the oldest. Seconds. */
const ageOf = (occurrences: number): string => `(3600 + (${HISTORY_DAYS} * 86400 - 7200) * (1 - n::float8 / ${occurrences}))`;

const tenantOf = (tenant: string): string =>
  `CASE n % 10 WHEN 8 THEN 'project-eight' WHEN 9 THEN 'project-nine' ELSE '${tenant}' END`;

/**
 * Fills the database with what a year leaves: copies of the rows that the product wrote for one instance, its instantiation, its steps and the
 * entries of the audit trail. What is sealed has its size, and can't be opened but in the row that it was copied from. Statistics are made anew.
 * Three connections fill side by side what needs one processor each, and commit when all have it. Neither triggers nor foreign keys look at it.
 * @param adminUrl a superuser's, at a schema that is migrated
 */
export async function fillHistory(
  adminUrl: string,
  { part, tenant, vnfInstanceId }: HistorySample,
  size: HistorySize,
): Promise<void> {
  const connections = [0, 1, 2].map(() => new Client({ connectionString: adminUrl, application_name: 'windlass bench history' }));
  try {
    for (const connection of connections) {
      await connection.connect();
      await connection.query('SET session_replication_role = replica');
      await connection.query('BEGIN');
    }
    const [first, second, third] = connections as [Client, Client, Client];
    const operationId = await instantiationOf(first, vnfInstanceId);
    const filling = { part, tenant: tenantOf(tenant), vnfInstanceId, operationId, ...size };
    await Promise.all([
      fillMost({ database: first, ...filling }),
      fillOccurrences({ database: second, ...filling }),
      fillTrail({ database: third, ...filling }),
    ]);
    for (const connection of connections) await connection.query('COMMIT');
    await first.query('ANALYZE');
  } finally {
    for (const connection of connections) await connection.end();
  }
}

async function instantiationOf(database: ClientBase, vnfInstanceId: string): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT id FROM lcm.vnf_lcm_op_occ WHERE vnf_instance_id = $1 AND operation = 'INSTANTIATE' AND operation_state = 'COMPLETED'`,
    [vnfInstanceId],
  );
  const operationId = rows[0]?.id;
  if (operationId === undefined) throw new InvariantError(`VNF instance ${vnfInstanceId} was not instantiated`);
  return operationId;
}

/** All but the two largest. */
async function fillMost(filling: Filling): Promise<void> {
  await fillPackages(filling);
  await fillInstances(filling);
  await fillOperations(filling);
  await fillInternals(filling);
  await fillNotifications(filling);
}

interface Filling extends HistorySize {
  database: ClientBase;
  part: string;
  /** SQL. */
  tenant: string;
  vnfInstanceId: string;
  operationId: string;
}

/** The driver of clusters, as far as the schedule of snapshots looks at it. */
const CLUSTER_DRIVER = 'many-clusters';
const PACKAGES = 60;

/** One in twenty packages, and of their instances all, are clusters. */
async function fillPackages({ database, part, vnfInstanceId }: Filling): Promise<void> {
  const from = `id = (SELECT vnf_pkg_id FROM lcm.vnf_instance WHERE id = '${vnfInstanceId}')`;
  const bound = `(SELECT jsonb_agg(f || '{"lcmBindings": {"instantiate_end": {"implementation": "${CLUSTER_DRIVER}"}}}') FROM jsonb_array_elements(s.model->'flavours') AS f)`;
  await copy(database, {
    table: 'package.vnf_package',
    from,
    first: 0,
    last: PACKAGES,
    changed: {
      id: idOf('package', part),
      vnfd_id: `s.vnfd_id || '-${part}-' || n`,
      model: `CASE WHEN n % 20 = 1 THEN jsonb_set(s.model, '{flavours}', ${bound}) ELSE s.model END`,
    },
  });
  await database.query('INSERT INTO lcm.driver (name, description) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    CLUSTER_DRIVER,
    JSON.stringify({ name: CLUSTER_DRIVER, hooks: { modify_information_end: {} }, actions: [{ name: 'keep-snapshot' }] }),
  ]);
}

/** Of ten instances one is not instantiated; half have a name. Each has its stack's and its resources' names, and a pinned host key. */
async function fillInstances({ database, part, tenant, vnfInstanceId, instances }: Filling): Promise<void> {
  const id = idOf('instance', part);
  const own = (column: string): string =>
    `CASE WHEN n % 10 = 4 THEN NULL ELSE replace(s.${column}::text, '${vnfInstanceId}', ${id}::text)::jsonb END`;
  await copy(database, {
    table: 'lcm.vnf_instance',
    from: `id = '${vnfInstanceId}'`,
    first: 0,
    last: instances,
    changed: {
      id,
      tenant,
      vnf_instance_name: `CASE WHEN n % 2 = 0 THEN 'many-' || lpad(n::text, 6, '0') END`,
      vnf_pkg_id: idOf('package', part, `(n / 10) % ${PACKAGES}`),
      vnfd_id: `s.vnfd_id || '-${part}-' || (n / 10) % ${PACKAGES}`,
      instantiation_state: `CASE WHEN n % 10 = 4 THEN 'NOT_INSTANTIATED' ELSE 'INSTANTIATED' END`,
      instantiated: own('instantiated'),
      desired: `CASE WHEN n % 10 = 4 THEN NULL ELSE s.desired END`,
      created_at: `clock_timestamp() - make_interval(days => ${HISTORY_DAYS})`,
    },
  });
  await database.query(
    `INSERT INTO lcm.host_key (resource_id, key, tenant, vnf_instance_id, vnfc_id, pinned_at)
     SELECT gen_random_uuid()::text, 'ssh-ed25519 ' || md5(n::text) || md5(n::text || 'x'), ${tenant}, ${id}, 'vnfc', clock_timestamp()
     FROM generate_series(0, ${instances - 1}) AS n WHERE n % 10 <> 4`,
  );
  // Seven snapshots of each cluster, of a part of 100 kB.
  await database.query(
    `INSERT INTO lcm.cluster_snapshot (id, vnf_instance_id, operation_id, step_id, master, size, sha256, begun_at, kept_at)
     SELECT md5(i.id || ' ' || k)::uuid, i.id, gen_random_uuid(), 'keep-snapshot', '10.0.0.1', 100000, md5(k::text), at, at
     FROM lcm.vnf_instance AS i JOIN package.vnf_package AS p ON p.id = i.vnf_pkg_id, generate_series(1, 7) AS k,
       LATERAL (SELECT clock_timestamp() - make_interval(hours => 24 * (k::int - 1)) AS at) AS taken
     WHERE i.vnfd_id LIKE '%-${part}-%' AND i.instantiation_state = 'INSTANTIATED' AND p.model->'flavours'->0->'lcmBindings'->'instantiate_end'->>'implementation' = '${CLUSTER_DRIVER}'`,
  );
}

/** SQL of what an operation and its occurrence have alike: `n` is its number. */
function operationOf({ part, instances, occurrences }: Filling): Record<'id' | 'at' | 'kind' | 'isOver', string> {
  return {
    id: idOf('occurrence', part),
    at: `clock_timestamp() - make_interval(secs => ${ageOf(occurrences)})`,
    kind: `(ARRAY['INSTANTIATE', 'SCALE', 'HEAL', 'MODIFY_INFO', 'OPERATE', 'TERMINATE'])[1 + n % 6]`,
    isOver: states(instances, 'suspended', 'abandoned', 'rolled-back', 'completed'),
  };
}

/** Operations with the journals of the last days. */
async function fillOperations(filling: Filling): Promise<void> {
  const { database, tenant, operationId, instances, occurrences, journalDays = JOURNAL_DAYS } = filling;
  const { id, at, kind, isOver } = operationOf(filling);
  const all = { first: 0, last: occurrences };
  await copy(database, {
    table: 'lcm.operation',
    from: `id = '${operationId}'`,
    ...all,
    changed: {
      id,
      kind,
      tenant,
      status: isOver,
      failure: `CASE WHEN ${isOver} = 'completed' THEN NULL ELSE '{"code": "stack.create-failed", "detail": "no valid host was found"}'::jsonb END`,
      status_since: at,
      created_at: `${at} - interval '1 minute'`,
      journal_purged_at: `CASE WHEN ${ageOf(occurrences)} > ${journalDays * 86_400} AND ${isOver} <> 'suspended' THEN ${at} + interval '${journalDays} days' END`,
    },
  });
  await copy(database, {
    table: 'lcm.step',
    from: `operation_id = '${operationId}'`,
    ...all,
    where: `${ageOf(occurrences)} <= ${journalDays * 86_400} OR ${isOver} = 'suspended'`,
    // What its trigger would give it.
    changed: {
      operation_id: id,
      started_at: at,
      ended_at: `${at} + interval '2 seconds'`,
      revision: `nextval('lcm.step_revision')`,
    },
  });
  await fillUnfinished(database, id, { instances, occurrences });
}

/** Occurrences that are final but for one of a thousand. */
async function fillOccurrences(filling: Filling): Promise<void> {
  const { database, part, tenant, operationId, instances, occurrences } = filling;
  const { id, at, kind, isOver } = operationOf(filling);
  await copy(database, {
    table: 'lcm.vnf_lcm_op_occ',
    from: `id = '${operationId}'`,
    first: 0,
    last: occurrences,
    changed: {
      id,
      tenant,
      vnf_instance_id: idOf('instance', part, `n % ${instances}`),
      operation: kind,
      operation_state: states(instances, 'FAILED_TEMP', 'FAILED', 'ROLLED_BACK', 'COMPLETED'),
      error: `CASE WHEN ${isOver} = 'completed' THEN NULL ELSE '{"status": 500, "detail": "no valid host was found"}'::jsonb END`,
      state_entered_time: at,
      start_time: `${at} - interval '1 minute'`,
    },
  });
}

/** The inputs and outputs of what is not final, and rows of the outbox of the last hour. */
async function fillUnfinished(
  database: Filling['database'],
  id: string,
  { instances, occurrences }: Pick<Filling, 'instances' | 'occurrences'>,
): Promise<void> {
  await database.query(
    `INSERT INTO lcm.payload (operation_id, step_id, kind, sealed) SELECT s.operation_id, s.id, 'input', ${noise(1_500)}
     FROM generate_series(7, ${Math.min(instances, occurrences) - 1}, 1000) AS n JOIN lcm.step AS s ON s.operation_id = ${id}`,
  );
  await database.query(
    `INSERT INTO lcm.outbox (subject, message, sent, created_at) SELECT 'windlass.step.infra-driver', jsonb_build_object('operationId', ${id}), true,
       clock_timestamp() - interval '1 minute' FROM generate_series(0, ${Math.ceil(occurrences / 100)}) AS n`,
  );
}

/** Clean-ups of others' projects, refreshes, audits and snapshots of the last days: two for each operation of that time. */
async function fillInternals({ database, part, tenant, instances, occurrences }: Filling): Promise<void> {
  const count = Math.ceil((occurrences * JOURNAL_DAYS) / HISTORY_DAYS) * 2;
  const id = idOf('internal', part);
  const at = `clock_timestamp() - make_interval(secs => 600 + n::float8 / ${count} * ${JOURNAL_DAYS * 86_400 - 3_600})`;
  const numbers = `generate_series(0, ${count - 1}) AS n`;
  await database.query(
    `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version, status_since, created_at)
     SELECT ${id}, (ARRAY['SNAPSHOT', 'SNAPSHOT', 'REFRESH', 'SNAPSHOT', 'AUDIT', 'REFRESH', 'SNAPSHOT', 'AUDIT', 'CLEAN_UP', 'CLEAN_UP'])[1 + n % 10], ${tenant}, 'completed', 3, ${at}, ${at} FROM ${numbers}`,
  );
  await database.query(
    `INSERT INTO lcm.internal_operation (id, vnf_instance_id, subject, state, changed_at)
     SELECT ${id}, ${idOf('instance', part, `n % ${instances}`)}, ${noise(300)}, CASE WHEN n % 50 = 3 THEN 'GIVEN_UP' ELSE 'DONE' END, ${at} FROM ${numbers}`,
  );
}

/** Of each operation what asked for it and what came of it; of a hundred one more request, which was refused to somebody unknown. */
async function fillTrail({ database, part, tenant, instances, occurrences }: Filling): Promise<void> {
  const at = `clock_timestamp() - make_interval(secs => ${ageOf(occurrences)})`;
  await database.query(
    `INSERT INTO lcm.audit_trail (at, kind, tenant, actor, roles, remote_address, request_id, method, resource, status, code, operation, vnf_instance_id,
       operation_id, operation_state)
     SELECT ${at} + make_interval(secs => k), CASE k WHEN 1 THEN 'outcome' ELSE 'request' END, CASE WHEN k < 2 THEN ${tenant} END,
       CASE k WHEN 0 THEN CASE WHEN n % 5000 = 17 THEN 'seldom' ELSE 'operator' END END, CASE k WHEN 0 THEN '{admin}'::text[] END,
       CASE WHEN k <> 1 THEN '192.0.2.1' END, CASE WHEN k <> 1 THEN gen_random_uuid() END, CASE WHEN k <> 1 THEN 'POST' END,
       CASE WHEN k <> 1 THEN '/vnflcm/v1/vnf_instances/' || ${idOf('instance', part, `n % ${instances}`)} || '/scale' END,
       CASE k WHEN 0 THEN 202 WHEN 2 THEN 401 END, CASE k WHEN 2 THEN 'auth.invalid-token' END, CASE WHEN k < 2 THEN 'SCALE' END,
       CASE WHEN k < 2 THEN ${idOf('instance', part, `n % ${instances}`)} END, CASE WHEN k < 2 THEN ${idOf('occurrence', part)} END, CASE k WHEN 1 THEN 'COMPLETED' END
     FROM generate_series(0, ${occurrences - 1}) AS n, generate_series(0, 2) AS k WHERE k < 2 OR n % 100 = 0 ORDER BY n, k`,
  );
}

const SUBSCRIPTIONS = 20;

/** Subscribers that are away: something waits for each, and the next attempt is hours away. */
async function fillNotifications({ database, part, tenant, occurrences }: Filling): Promise<void> {
  const id = idOf('subscription', part);
  const numbers = `generate_series(0, ${SUBSCRIPTIONS - 1}) AS n`;
  const waiting = Math.min(9_000, Math.ceil(occurrences / 100));
  await database.query(
    `INSERT INTO lcm.subscription (id, tenant, api, callback_uri, key) SELECT ${id}, ${tenant}, 'vnflcm-v1', 'http://192.0.2.1/' || n, '${part} ' || n FROM ${numbers}`,
  );
  await database.query(
    `INSERT INTO lcm.subscription_delivery (subscription_id, attempts, retry_at) SELECT ${id}, 9, clock_timestamp() + interval '1 day' FROM ${numbers}`,
  );
  await database.query(
    `INSERT INTO lcm.notified_change (id, facts) SELECT ${idOf('change', part)}, ${noise(2_000)} FROM generate_series(0, ${waiting - 1}) AS n`,
  );
  await database.query(
    `INSERT INTO lcm.notification (subscription_id, change_id) SELECT ${id}, ${idOf('change', part, 'c')} FROM generate_series(0, ${waiting - 1}) AS c, ${numbers}`,
  );
}
