import { isJsonObject, type JsonObject } from '@windlass/foundation';
import pg from 'pg';
import { vi } from 'vitest';

/** How much of a table that grows a statement read, by one node of the plan with which PostgreSQL ran it. */
export interface Reading {
  table: string;
  /** As the plan calls it, such as `Seq Scan`. */
  how: string;
  /** The index, if any. */
  index: string | undefined;
  /** Rows that were looked at: those that went on and those that did not match. */
  rows: number;
}

/** One run of a statement. */
export interface Run {
  statement: string;
  readings: Reading[];
}

/** The plans with which the statements of this process's connections, and those within functions and triggers, were run. */
export class RecordedPlans {
  readonly #texts: string[] = [];
  readonly #heard = new WeakSet<object>();

  /** From here on, of connections that are made later; PostgreSQL tells them once {@link tellPlans} has asked it to. */
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

  /** What was run until now. @param grown the tables that grow, by their names */
  runs(grown: ReadonlySet<string>): Run[] {
    return this.#texts.map((text) => {
      const told = JSON.parse(text.slice(text.indexOf('{'))) as { 'Query Text': string; Plan: JsonObject };
      return { statement: told['Query Text'].replaceAll(/\s+/g, ' ').trim(), readings: [...readingsOf(told.Plan, grown)] };
    });
  }
}

/**
 * Has PostgreSQL tell each connection to the database the plans of what it runs, those that ran before too; connections that are there are ended, and
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
