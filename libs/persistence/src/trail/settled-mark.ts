import type { EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';

/**
 * Up to which id no entry can appear any more. Ids are given when an entry is inserted, not when it is committed, so a greater one may be
 * seen first. But whoever inserts has the table's row lock before it takes an id, and holds it to its end: once all are over who held it
 * when the greatest id was seen, every id up to that one is either there or will never be.
 */
export class SettledMark {
  #settled = '0';
  #quiet = '0';
  #pending: { upTo: string; writers: ReadonlySet<string> } | undefined;

  /** Every entry up to this one has a link. */
  get settled(): string {
    return this.#settled;
  }

  forget(): void {
    this.#settled = '0';
    this.#quiet = '0';
    this.#pending = undefined;
  }

  /** Looks who writes. Entries are to be read by a later statement. */
  async look(manager: EntityManager): Promise<void> {
    // The statement's snapshot, which has the greatest id, is older than the look at the locks.
    const [row] = await rowsOf<{ greatest: string; writers: string[] }>(
      manager,
      `SELECT coalesce((SELECT max(id) FROM lcm.audit_trail), 0)::text AS greatest,
         ARRAY(SELECT DISTINCT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted
           AND relation = 'lcm.audit_trail'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS writers`,
    );
    const { greatest, writers } = row ?? { greatest: '0', writers: [] };
    const pending = this.#pending;
    if (writers.length === 0) {
      this.#quiet = greatest;
      this.#pending = undefined;
      return;
    }
    // A prepared transaction (-1/n) has another name than it had before.
    if (pending !== undefined && writers.some((one) => one.startsWith('-1/') || pending.writers.has(one))) return;
    if (pending !== undefined) this.#quiet = pending.upTo;
    this.#pending = { upTo: greatest, writers: new Set(writers) };
  }

  /**
   * Up to which id entries are settled, once every entry that there is up to `last` has a link; all of them where it is undefined.
   * To be told to {@link settle} when it is committed.
   */
  reached(last: string | undefined): string {
    return last === undefined || BigInt(this.#quiet) < BigInt(last) ? this.#quiet : last;
  }

  settle(upTo: string): void {
    this.#settled = upTo;
  }
}
