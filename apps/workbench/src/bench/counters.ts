import type { Client } from 'pg';
import type { RunningNats } from '@windlass/embedded';
import { InvariantError, seconds } from '@windlass/foundation';
import axios from 'axios';
import { setTimeout as pause } from 'node:timers/promises';

/** What servers have counted since they started. */
export interface Counters {
  /** When it was read, in milliseconds since 1970. */
  at: number;
  /** Transactions that were committed, reading ones too (`pg_stat_database.xact_commit`). */
  transactions: number;
  /** Transactions that wrote (transaction ids given out): exact at once. */
  writes: number;
  /** Messages that clients sent to NATS, pulls, acknowledgements and replies too (`in_msgs`). */
  sent: number;
  /** Messages that NATS sent to clients (`out_msgs`). */
  delivered: number;
}

/**
 * PostgreSQL's sessions hand in their counts when they have been idle for ten seconds at the latest (PGSTAT_IDLE_INTERVAL, pgstat.c);
 * a busy one once a second.
 */
const COUNTS_ARE_IN_AFTER = seconds(10.5);

/** Reads the counters at once; `transactions` may lag. */
export async function countersNow(database: Client, nats: RunningNats): Promise<Counters> {
  const { rows } = await database.query<{ commits: string; next: string }>(
    `SELECT xact_commit AS commits, pg_snapshot_xmax(pg_current_snapshot())::text AS next FROM pg_stat_database WHERE datname = current_database()`,
  );
  const { data } = await axios.get<{ in_msgs: number; out_msgs: number }>(`${nats.monitoringUrl ?? ''}/varz`, { proxy: false });
  const [row] = rows;
  if (row === undefined) throw new InvariantError('PostgreSQL does not know its own database');
  return {
    at: Date.now(),
    transactions: Number(row.commits),
    writes: Number(row.next),
    sent: data.in_msgs,
    delivered: data.out_msgs,
  };
}

/** Reads the counters once every session has handed in what it counted. */
export async function countersSettled(database: Client, nats: RunningNats): Promise<Counters> {
  await pause(COUNTS_ARE_IN_AFTER);
  return countersNow(database, nats);
}

const COUNTED = ['transactions', 'writes', 'sent', 'delivered'] as const;
export type Counted = Record<(typeof COUNTED)[number], number>;

/** What was counted between two readings, less what goes on when nothing does, by operation. */
export function perOperation(from: Counters, to: Counters, idlePerSecond: Counted, operations: number): Counted {
  const elapsed = (to.at - from.at) / 1_000;
  return counted((name) => Math.round(((to[name] - from[name] - idlePerSecond[name] * elapsed) / operations) * 10) / 10);
}

/** What is counted in a second of the time between two readings. */
export const perSecond = (from: Counters, to: Counters): Counted =>
  counted((name) => Math.round(((to[name] - from[name]) / (to.at - from.at)) * 10_000) / 10);

const counted = (figure: (name: (typeof COUNTED)[number]) => number): Counted =>
  Object.fromEntries(COUNTED.map((name) => [name, figure(name)])) as Counted;
