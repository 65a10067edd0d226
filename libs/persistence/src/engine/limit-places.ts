import { setTimeout as pause } from 'node:timers/promises';
import { millis } from '@windlass/foundation';
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

/** Whether places may be taken side by side where so many run, whoever takes them: there is one for each permit. */
const isRoomy = (limit: number, running: number): boolean => permitsOf(limit) > 0 && running + permitsOf(limit) <= limit;

/** How many of those that want places get one, where so many run. */
const placesLeft = ({ places, limit }: WantedPlaces, running: number): number => Math.max(0, Math.min(places, limit - running));

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

/**
 * Permits that others hold: their places are not counted yet, or were a moment ago. Counted behind our own permits, so that of two that take places at the same
 * time one at least sees the other.
 */
const HELD: Statement = {
  name: 'windlass limits permits held',
  text: `WITH held AS MATERIALIZED (
      SELECT classid::bigint << 32 | objid::bigint AS name FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND pid <> pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
    SELECT key, count(*)::int AS n FROM unnest($1::text[], $2::int[]) AS given (key, permits) CROSS JOIN LATERAL generate_series(1, permits) AS permit
    JOIN held ON held.name = hashtextextended('permit ' || permit || ' of limit ' || key, 0) GROUP BY key`,
};

/** Of what is committed: asked for after the locks, by a statement of its own, it sees all that was committed before they were there. */
const COUNT: Statement = {
  name: 'windlass limits count',
  text: `SELECT key, count(*)::int AS n FROM lcm.step, jsonb_array_elements_text(limit_keys) AS key
    WHERE state = 'running' AND waiting_epoch IS DISTINCT FROM epoch AND limit_keys ?| $1::text[] AND key = ANY($1::text[]) GROUP BY key`,
};

/** A transaction that takes places is committed, or taken back, by then: a few round trips, and a write to the disk. */
const COMMITTED_BY_THEN = millis(25);

/** Places can't be taken side by side after all: the transaction is begun anew, and locks its keys alone. */
export class PlacesContended extends Error {}

/**
 * Counts what holds places under limits, so that transactions that take places side by side never exceed one together. Each locks the key *shared*, takes a
 * *permit* for each place, of which there are few, and then sees how many run. Far from full, where there is a place for each permit, that is all. Near it, the
 * permits that others hold are places, too: whoever finds too few left beside them is refused, and looked for a moment later, when those have committed or not. Where
 * there is room but permits are gone, and under a limit of 1, the key is locked alone.
 */
export class LimitPlaces {
  /** Keys that were nearly full when they were last counted. A hint: it decides what is tried first. */
  readonly #nearlyFull = new Set<string>();
  /** Keys under which somebody was refused for places that others take and have not committed, and until when they will have. */
  readonly #doubtful = new Map<string, number>();

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
      : open.filter((each) => permitsOf(each.limit) > 0 && placesLeft(each, seen.get(each.key) ?? 0) <= permitsOf(each.limit));
    const got = await locked(manager, open, beside, seen);
    const isNear = ({ key, limit }: WantedPlaces): boolean => !isRoomy(limit, seen.get(key) ?? 0);
    // Those that are near their limits are counted behind the look at others' permits.
    const later = beside.filter(isNear);
    const first = open.filter((each) => !later.includes(each)).map(({ key }) => key);
    for (const [key, n] of await running(manager, first)) seen.set(key, n);
    const [near, roomy] = apart(beside, (each) => later.includes(each) || isNear(each));
    if (roomy.some((each) => (got.get(each.key) ?? 0) < placesLeft(each, seen.get(each.key) ?? 0))) throw new PlacesContended();
    const taken = await this.#takenBeside(manager, near, seen);
    this.#remember(sorted, seen);
    for (const each of near) {
      const { key, limit } = each;
      const n = seen.get(key) ?? 0;
      const free = Math.max(0, Math.min(got.get(key) ?? 0, limit - n - (taken.get(key) ?? 0)));
      if (free >= placesLeft(each, n)) continue;
      seen.set(key, limit - free);
      this.#doubtful.set(key, performance.now() + COMMITTED_BY_THEN);
    }
    return seen;
  }

  /** As it was counted last. */
  isNearlyFull(key: string): boolean {
    return this.#nearlyFull.has(key);
  }

  /** Resolves when what was taken for full under these keys, though some of those that took places had not committed, is so or not. */
  async settled(keys: readonly string[]): Promise<void> {
    const now = performance.now();
    for (const [key, until] of this.#doubtful) if (until <= now) this.#doubtful.delete(key);
    const wait = Math.max(0, ...keys.map((key) => (this.#doubtful.get(key) ?? now) - now));
    if (wait > 0) await pause(wait);
  }

  /** Of keys that are nearly full, how many others take places that are not counted; what is counted is counted once more behind it, and entered as `seen`. */
  async #takenBeside(
    manager: EntityManager,
    near: readonly WantedPlaces[],
    seen: Map<string, number>,
  ): Promise<ReadonlyMap<string, number>> {
    if (near.length === 0) return new Map();
    const rows = await runPrepared<{ key: string; n: number }>(manager, HELD, [
      near.map(({ key }) => key),
      near.map(({ limit }) => permitsOf(limit)),
    ]);
    const held = new Map(rows.map(({ key, n }) => [key, n]));
    // Who commits first gives its permit back afterwards: whoever held none any more is counted now.
    const counts = await running(
      manager,
      near.map(({ key }) => key),
    );
    for (const [key, n] of counts) seen.set(key, n);
    return new Map(near.map(({ key }) => [key, held.get(key) ?? 0]));
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

function apart<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** How many permits it got of each key that is wanted `beside` others: one for each place that is left, where so many were `seen` to run. */
async function locked(
  manager: EntityManager,
  open: readonly WantedPlaces[],
  beside: readonly WantedPlaces[],
  seen: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  if (open.length === 0) return new Map();
  const rows = await runPrepared<{ key: string; got: number }>(manager, LOCK, [
    open.map(({ key }) => key),
    open.map((each) => placesLeft(each, seen.get(each.key) ?? 0)),
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
