import { isJsonObject, type JsonObject } from '@windlass/foundation';
import pg from 'pg';
import { vi } from 'vitest';

/** The rows of a growing table that one node of a statement's plan read. */
export interface Reading {
  table: string;
  /** The kind of the node, such as `Seq Scan`. */
  how: string;
  /** The index, if any. */
  index: string | undefined;
  /** The number of rows that were read, whether they matched or not. */
  rows: number;
}

/** One run of a statement. */
export interface Run {
  statement: string;
  readings: Reading[];
}

/** Records the plans of all statements on this process's connections, with statements in functions and triggers. */
export class RecordedPlans {
  readonly #texts: string[] = [];
  readonly #heard = new WeakSet<object>();

  /** Begins to record on connections that are made later. PostgreSQL sends plans after {@link tellPlans}. */
  static record(): RecordedPlans {
    const recorded = new RecordedPlans();
    const { query } = pg.Client.prototype as { query: (...given: unknown[]) => unknown };
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
      recorded.#listenTo(this);
      return query.apply(this, given) as never;
    } as never);
    return recorded;
  }

  #listenTo(client: pg.Client): void {
    if (this.#heard.has(client)) return;
    this.#heard.add(client);
    client.on('notice', ({ message }) => {
      if (message?.startsWith('duration: ') === true) this.#texts.push(message);
    });
  }

  /** The statements that were run until now. @param grown the names of the growing tables */
  runs(grown: ReadonlySet<string>): Run[] {
    return this.#texts.map((text) => {
      const told = JSON.parse(text.slice(text.indexOf('{'))) as { 'Query Text': string; Plan: JsonObject };
      return { statement: told['Query Text'].replaceAll(/\s+/g, ' ').trim(), readings: [...readingsOf(told.Plan, grown)] };
    });
  }
}

/**
 * Has PostgreSQL send the plan of each statement to its connection, also of statements that ran before. Open connections are ended, and
 * the pools make new ones. auto_explain measures what was read and takes no times.
 */
export async function tellPlans(admin: pg.Client, database: string): Promise<void> {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_buffers': 'off',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
    'auto_explain.log_parameter_max_length': '0',
  };
  await admin.query(`LOAD 'auto_explain'`);
  for (const [name, value] of Object.entries(settings)) await admin.query(`ALTER DATABASE ${database} SET ${name} = '${value}'`);
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()', [
    database,
  ]);
}

function* readingsOf(node: JsonObject, grown: ReadonlySet<string>): Generator<Reading> {
  const table = String(node['Relation Name']);
  const how = String(node['Node Type']);
  if (grown.has(table) && how !== 'ModifyTable') {
    const of = (name: string): number => Number(node[name] ?? 0);
    const each = of('Actual Rows') + of('Rows Removed by Filter') + of('Rows Removed by Index Recheck');
    const index = typeof node['Index Name'] === 'string' ? node['Index Name'] : undefined;
    yield { table, how, index, rows: Math.round(each * of('Actual Loops')) };
  }
  for (const below of Array.isArray(node.Plans) ? node.Plans : []) if (isJsonObject(below)) yield* readingsOf(below, grown);
}
