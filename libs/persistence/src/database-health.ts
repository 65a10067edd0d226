import { seconds, type Duration } from '@windlass/foundation';
import type { DataSource } from 'typeorm';

/** How long an answer is good for: readiness may be asked for often, and by many. */
const GOOD_FOR: Duration = seconds(1);

/** Some 600 KiB that don't fit into 64 KiB of memory, so the server writes them to its disk and drops them again. */
const SPILL = `SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY repeat(md5(n::text), 8)) FROM generate_series(1, 2000) AS n) AS sorted`;

export interface DatabaseState {
  ok: boolean;
  detail?: string;
}

/** Whether PostgreSQL answers, takes writing transactions, and has room on its disk. */
export function databaseHealth(database: DataSource): () => Promise<DatabaseState> {
  let last: { at: number; state: Promise<DatabaseState> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > GOOD_FOR) last = { at: performance.now(), state: look(database) };
    return last.state;
  };
}

async function look(database: DataSource): Promise<DatabaseState> {
  try {
    await database.transaction(async (manager) => {
      await manager.query(`SET LOCAL work_mem = '64kB'`);
      await manager.query(SPILL);
      // Refused by a standby, which would answer everything above.
      await manager.query('SELECT pg_current_xact_id()');
    });
    return { ok: true };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}
