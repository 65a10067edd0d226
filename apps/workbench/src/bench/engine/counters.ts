import type { Client } from 'pg';
import type { RunningNats } from '@windlass/embedded';
import { InvariantError, seconds } from '@windlass/foundation';
import axios from 'axios';
import { setTimeout as pause } from 'node:timers/promises';

/** What servers have counted since they started. */
export interface Counters extends Counted {
  /** When it was read, in milliseconds since 1970. */
  at: number;
}

const COUNTED = ['transactions', 'writes', 'statements', 'walBytes', 'syncs', 'sent', 'delivered'] as const;

/**
 * - `transactions`: that were committed, reading ones too (`pg_stat_database.xact_commit`); `syncs`: of the log to disk (`pg_stat_wal.wal_sync`).
 *   Both lag until every session has handed in what it counted.
 * - `writes`: transactions that wrote (transaction ids given out); `statements`: of the services, BEGIN and COMMIT too (`pg_stat_statements`);
 *   `walBytes`: of PostgreSQL's log, whole pages after a checkpoint too. Exact at once.
 * - `sent`: messages that clients sent to NATS, pulls, acknowledgements and replies too (`in_msgs`); `delivered`: that NATS sent to clients (`out_msgs`).
 */
export type Counted = Record<(typeof COUNTED)[number], number>;

/** What PostgreSQL counts at once, and what its sessions hand in later. */
const LAGGING: readonly (typeof COUNTED)[number][] = ['transactions', 'syncs'];

/**
 * PostgreSQL's sessions hand in their counts when they have been idle for ten seconds at the latest (PGSTAT_IDLE_INTERVAL, pgstat.c);
 * a busy one once a second.
 */
const COUNTS_ARE_IN_AFTER = seconds(10.5);

/** Reads the counters at once; `transactions` and `syncs` may lag. @param observer of {@link openObserver} */
export async function countersNow(observer: Client, nats: RunningNats): Promise<Counters> {
  const { rows } = await observer.query<Record<'commits' | 'next' | 'statements' | 'wal' | 'syncs', string>>(
    `SELECT xact_commit AS commits, pg_snapshot_xmax(pg_current_snapshot())::text AS next,
            (SELECT sum(calls) FROM bench.pg_stat_statements WHERE userid = (SELECT oid FROM pg_roles WHERE rolname = 'windlass')) AS statements,
            pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS wal, (SELECT wal_sync FROM pg_stat_wal) AS syncs
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  const { data } = await axios.get<{ in_msgs: number; out_msgs: number }>(`${nats.monitoringUrl ?? ''}/varz`, { proxy: false });
  const [row] = rows;
  if (row === undefined) throw new InvariantError('PostgreSQL does not know its own database');
  return {
    at: Date.now(),
    transactions: Number(row.commits),
    writes: Number(row.next),
    statements: Number(row.statements),
    walBytes: Number(row.wal),
    syncs: Number(row.syncs),
    sent: data.in_msgs,
    delivered: data.out_msgs,
  };
}

/** Reads the counters once every session has handed in what it counted. */
export async function countersSettled(observer: Client, nats: RunningNats): Promise<Counters> {
  await pause(COUNTS_ARE_IN_AFTER);
  return countersNow(observer, nats);
}

/**
 * What was counted by operation, less what goes on when nothing does.
 * @param from before the operations
 * @param now right behind them
 * @param settled when all was handed in
 * @param looks transactions of the bench itself in between
 */
export function perOperation(
  { from, now, settled }: Record<'from' | 'now' | 'settled', Counters>,
  idlePerSecond: Counted,
  operations: number,
  looks = 0,
): Counted {
  return counted((name) => {
    const to = LAGGING.includes(name) ? settled : now;
    const elapsed = (to.at - from.at) / 1_000;
    const own = name === 'transactions' ? looks : 0;
    return tenths((to[name] - from[name] - own - idlePerSecond[name] * elapsed) / operations);
  });
}

/** What is counted in a second of the time between two readings. */
export const perSecond = (from: Counters, to: Counters): Counted =>
  counted((name) => tenths(((to[name] - from[name]) / (to.at - from.at)) * 1_000));

const tenths = (value: number): number => Math.round(value * 10) / 10;

/** The same figure of each that is counted. */
export const counted = (figure: (name: (typeof COUNTED)[number]) => number): Counted =>
  Object.fromEntries(COUNTED.map((name) => [name, figure(name)])) as Counted;
