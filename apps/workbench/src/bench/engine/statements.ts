import type { Client } from 'pg';
import { closeConnection, openConnection } from '../bench-connection.js';
import { rounded } from '../figures.js';

/** What the bench's PostgreSQL has and the product's does not: it counts statements, with the time that planning takes. */
export const COUNTING_SETTINGS: Readonly<Record<string, string>> = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
};

/** How many of the dearest statements are reported. */
const REPORTED = 10;

/** What the services' statements of one shape have used since PostgreSQL started. */
export interface StatementCounts {
  id: string;
  text: string;
  calls: number;
  /** Milliseconds by the clock, of planning and of execution: on a busy machine a statement waits for a processor, too. */
  planning: number;
  executing: number;
  walBytes: number;
}

/** What a statement uses, by operation. Times in milliseconds. */
export type StatementUse = Record<'calls' | 'planning' | 'executing' | 'walBytes', number>;

/**
 * A connection of PostgreSQL's superuser in the services' database: what is asked over it is told apart from what services ask by its user.
 * @param adminUrl of the services' database
 */
export async function openObserver(adminUrl: string): Promise<Client> {
  const observer = await openConnection(adminUrl);
  try {
    await observer.query('CREATE SCHEMA IF NOT EXISTS bench; CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA bench');
    return observer;
  } catch (error) {
    await closeConnection(observer);
    throw error;
  }
}

/** What the services' statements have used until now; exact at once. */
export async function statementsNow(observer: Client): Promise<StatementCounts[]> {
  const { rows } = await observer.query<Record<keyof StatementCounts, string>>(
    `SELECT queryid::text AS id, min(query) AS text, sum(calls) AS calls, sum(total_plan_time) AS planning,
            sum(total_exec_time) AS executing, sum(wal_bytes) AS "walBytes"
     FROM bench.pg_stat_statements WHERE userid = (SELECT oid FROM pg_roles WHERE rolname = 'windlass') GROUP BY queryid`,
  );
  return rows.map(({ id, text, ...counts }) => ({
    id,
    text,
    calls: Number(counts.calls),
    planning: Number(counts.planning),
    executing: Number(counts.executing),
    walBytes: Number(counts.walBytes),
  }));
}

/** The statements that took most time between two readings, by their text in one line; the dearest first. */
export function dearest(
  from: readonly StatementCounts[],
  to: readonly StatementCounts[],
  operations: number,
  most = REPORTED,
): Record<string, StatementUse> {
  const before = new Map(from.map((one) => [one.id, one]));
  const used = to.map((now): [string, StatementUse] => {
    const was = before.get(now.id);
    const each = (name: keyof StatementUse): number => rounded((now[name] - (was?.[name] ?? 0)) / operations);
    const use = { calls: each('calls'), planning: each('planning'), executing: each('executing'), walBytes: each('walBytes') };
    return [now.text.replaceAll(/\s+/g, ' ').trim(), use];
  });
  const took = ({ planning, executing }: StatementUse): number => planning + executing;
  return Object.fromEntries(
    used
      .filter(([, { calls }]) => calls > 0)
      .sort(([, one], [, other]) => took(other) - took(one))
      .slice(0, most),
  );
}
