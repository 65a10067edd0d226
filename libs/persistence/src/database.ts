import 'reflect-metadata';
import { minutes, seconds } from '@windlass/foundation';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import pg, { type ClientBase } from 'pg';
import { ANSWER_WITHIN, watchAnswers } from './answer-watch.js';
import { entities } from './entities/index.js';
import { requireUsableSchema, tellOfLaterSchema } from './later-schema.js';
import { migrations } from './migrations/index.js';
import { withOutageErrors, reportOutages } from './outage.js';

export interface DatabaseOptions {
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Connections of this process at most. */
  poolSize: number;
}

/** The names of the migrations, in order: a schema is named by its last. */
export const schemas: readonly string[] = migrations.map((Migration) => new Migration().name);

/** Any number: all processes of all releases use it to migrate one after the other. */
const MIGRATION_LOCK = 0x77_6c_73;

/**
 * How long an idle connection is kept. `pg` drops it after ten seconds, and the next operation then waits for a new one, which costs both ends a
 * SCRAM handshake and PostgreSQL a process (docs/bench.md).
 */
const KEEP_IDLE = minutes(5);

/** A server that is there answers in milliseconds; one that is not must not hold up the next try. */
const CONNECT_WITHIN = seconds(5);

/**
 * A TypeORM data source over `pg`; never synchronises: the schema is the migrations' matter. A server that does not answer costs a statement
 * `ANSWER_WITHIN`; a session of ours whose next statement does not come for as long is ended by the server, and with it the row locks of a
 * process that hangs or was cut off.
 * What it throws when PostgreSQL is away is a TransientError `database.away`.
 */
export async function connectDatabase(options: DatabaseOptions): Promise<DataSource> {
  const settings: DataSourceOptions = {
    type: 'postgres',
    // Named, or else TypeORM loads it a second time: what is put into few files is not found by its name.
    driver: pg,
    url: options.url,
    applicationName: options.applicationName,
    poolSize: options.poolSize,
    connectTimeoutMS: CONNECT_WITHIN,
    entities,
    migrations,
    migrationsTableName: 'windlass_migrations',
    synchronize: false,
    logging: false,
    // An idle connection that breaks is replaced by the pool at its next use; the query that meets it reports it.
    poolErrorHandler: () => undefined,
    extra: {
      keepAlive: true,
      idleTimeoutMillis: KEEP_IDLE,
      // What works that share a transaction ask side by side is sent without waiting for the answer to what was asked before.
      pipeline: true,
      idle_in_transaction_session_timeout: ANSWER_WITHIN,
      onConnect: (client: ClientBase) => watchAnswers(client),
    },
  };
  return withOutageErrors(reportOutages(new DataSource(settings)).initialize());
}

/**
 * How long a statement of a migration waits for a lock. A change of a table waits until nobody reads it, and whoever comes after it waits behind it: services of
 * the release before, which work on meanwhile. So it gives way to them, and is tried again.
 */
const LOCK_WITHIN = seconds(1);
const LOCK_AGAIN = seconds(1);
/** PostgreSQL's `lock_not_available`. */
const NO_LOCK = '55P03';

/**
 * Brings the schema up to date for a service, which says so where a later release has been there already.
 * @throws what {@link migrate} throws
 */
export async function migrateFor(
  log: { warn(message: string, fields: Record<string, unknown>): void },
  database: DataSource,
): Promise<void> {
  await migrate(database);
  await tellOfLaterSchema(database, schemas, log);
}

/**
 * Brings the schema up to date; several processes may try at once. It may take any time: both another's migration and our own.
 * @param last the name of the last migration that is run; by default all are
 * @throws TerminalError `database.later-schema` where a later release has taken away what this one uses
 */
export async function migrate(database: DataSource, last?: string): Promise<void> {
  const { options } = database;
  const wanted = last === undefined ? migrations : migrations.slice(0, schemas.indexOf(last) + 1);
  const patient = new DataSource({
    ...options,
    migrations: wanted,
    poolSize: 2,
    extra: { keepAlive: true, lock_timeout: LOCK_WITHIN },
  } as DataSourceOptions);
  await patient.initialize();
  try {
    await migrateWith(patient);
  } finally {
    await patient.destroy();
  }
}

async function migrateWith(database: DataSource): Promise<void> {
  const runner = database.createQueryRunner();
  await runner.connect();
  try {
    await runner.query('SET lock_timeout = 0');
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await requireUsableSchema(runner, schemas);
    while (!(await migratedAtOnce(database))) await pause(LOCK_AGAIN);
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await runner.release();
  }
}

/** Each migration is a transaction of its own: what has been done stays. @returns false where one did not get its locks */
async function migratedAtOnce(database: DataSource): Promise<boolean> {
  try {
    await database.runMigrations({ transaction: 'each' });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === NO_LOCK) return false;
    throw error;
  }
}

/** The rows of a parametrised statement. */
export async function rowsOf<T>(manager: EntityManager, sql: string, parameters: unknown[] = []): Promise<T[]> {
  const answer: unknown = await manager.query(sql, parameters);
  // TypeORM answers UPDATE and DELETE with [rows, count], everything else with rows.
  if (Array.isArray(answer) && answer.length === 2 && Array.isArray(answer[0]) && typeof answer[1] === 'number')
    return answer[0] as T[];
  return answer as T[];
}
