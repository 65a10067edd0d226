import type { WantedPlaces } from '@windlass/saga';
import type { EntityManager } from 'typeorm';
import { runPrepared, type Statement } from '../prepared.js';

/**
 * Permits of a limit at most. **Never changed**: coordinators of two releases that run side by side must agree on it, or they exceed the limit together
 * ([ADR 95](../../../../docs/adr/0095-limits-without-a-lock.md)).
 */
const MOST_PERMITS = 16;

/** Keys that are remembered as nearly full at most; what is forgotten costs a transaction that is begun anew. */
const MOST_REMEMBERED = 1_000;

/** How many transactions may take places under a limit side by side. A limit of 1 has none: its place is taken by one after the other. */
export const permitsOf = (limit: number): number => Math.min(MOST_PERMITS, Math.floor(limit / 2));

/** Whether places may be taken side by side where so many run: whoever holds a permit and is not counted yet finds one, too. */
const isRoomy = (limit: number, running: number): boolean => permitsOf(limit) > 0 && running + permitsOf(limit) <= limit;

/**
 * Locks each key until the transaction ends, in the order of the given texts, which are sorted: shared where permits are wanted, and alone where not.
 * Of each key that is shared, the permits that it could get, at most as many as are wanted; a permit is never waited for.
 */
const LOCK: Statement = {
  name: 'windlass limits lock',
  text: `SELECT key,
      CASE WHEN permits = 0 THEN pg_advisory_xact_lock(hashtextextended('limit ' || key, 0))
        ELSE pg_advisory_xact_lock_shared(hashtextextended('limit ' || key, 0)) END,
      (SELECT count(*) FROM (SELECT 1 FROM generate_series(1, permits) AS permit
         WHERE pg_try_advisory_xact_lock(hashtextextended('permit ' || permit || ' of limit ' || key, 0)) LIMIT places) AS got)::int AS got
    FROM (SELECT * FROM unnest($1::text[], $2::int[], $3::int[]) WITH ORDINALITY AS given (key, places, permits, place) ORDER BY place) AS sorted`,
};

/** Of what is committed: asked for after the locks, by a statement of its own, it sees all that was committed before they were there. */
const COUNT: Statement = {
  name: 'windlass limits count',
  text: `SELECT key, count(*)::int AS n FROM lcm.step, jsonb_array_elements_text(limit_keys) AS key
    WHERE state = 'running' AND waiting_epoch IS DISTINCT FROM epoch AND limit_keys ?| $1::text[] AND key = ANY($1::text[]) GROUP BY key`,
};

/** Places can't be taken side by side after all: the transaction is begun anew, and locks its keys alone. */
export class PlacesContended extends Error {}

/**
 * Counts what holds places under limits, so that transactions that take places side by side never exceed one together. As long as a limit is far from full they
 * don't wait for each other: each locks the key *shared* and takes a *permit* for each place, of which there are few, and then sees fewer running than the
 * limit less all permits. So whatever the holders of permits take beside it fits, too. Where more run, or permits are gone, the key is locked alone.
 */
export class LimitPlaces {
  /** Keys that were nearly full when they were last counted. A hint: it decides what is tried first. */
  readonly #nearlyFull = new Set<string>();

  /**
   * @param alone locks every key alone
   * @throws PlacesContended unless `alone`
   */
  async count(manager: EntityManager, wanted: readonly WantedPlaces[], alone: boolean): Promise<ReadonlyMap<string, number>> {
    // In one order everywhere, after the operation's row: two transactions can't wait for each other.
    const sorted = [...wanted].sort((a, b) => (a.key < b.key ? -1 : 1));
    const seen = alone ? new Map<string, number>() : await running(manager, this.#remembered(sorted));
    // Under a limit that is reached nobody gets a place, so nothing needs to be locked: at most what this transaction ends is begun in it.
    const open = sorted.filter(({ key, limit }) => (seen.get(key) ?? 0) < limit);
    const beside = alone
      ? []
      : open.filter(({ key, limit, places }) => places <= permitsOf(limit) && isRoomy(limit, seen.get(key) ?? 0));
    const got = await locked(manager, open, beside);
    const counts = await running(
      manager,
      open.map(({ key }) => key),
    );
    for (const [key, n] of counts) seen.set(key, n);
    this.#remember(sorted, seen);
    if (beside.some(({ key, limit, places }) => (got.get(key) ?? 0) < places || !isRoomy(limit, counts.get(key) ?? 0)))
      throw new PlacesContended();
    return seen;
  }

  #remembered(wanted: readonly WantedPlaces[]): string[] {
    return wanted.map(({ key }) => key).filter((key) => this.#nearlyFull.has(key));
  }

  #remember(wanted: readonly WantedPlaces[], counts: ReadonlyMap<string, number>): void {
    for (const { key, limit } of wanted) {
      const n = counts.get(key) ?? 0;
      if (n >= limit || (permitsOf(limit) > 0 && !isRoomy(limit, n))) this.#nearlyFull.add(key);
      else this.#nearlyFull.delete(key);
    }
    if (this.#nearlyFull.size > MOST_REMEMBERED) this.#nearlyFull.clear();
  }
}

/** How many permits it got of each key that is wanted `beside` others. */
async function locked(
  manager: EntityManager,
  open: readonly WantedPlaces[],
  beside: readonly WantedPlaces[],
): Promise<ReadonlyMap<string, number>> {
  if (open.length === 0) return new Map();
  const rows = await runPrepared<{ key: string; got: number }>(manager, LOCK, [
    open.map(({ key }) => key),
    open.map(({ places }) => places),
    open.map((each) => (beside.includes(each) ? permitsOf(each.limit) : 0)),
  ]);
  return new Map(rows.map(({ key, got }) => [key, got]));
}

async function running(manager: EntityManager, keys: readonly string[]): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map();
  const rows = await runPrepared<{ key: string; n: number }>(manager, COUNT, [keys]);
  const counts = new Map(rows.map(({ key, n }) => [key, n]));
  return new Map(keys.map((key) => [key, counts.get(key) ?? 0]));
}
