import { days, InvariantError, type Duration } from '@windlass/foundation';
import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { closed, headOf, insertLink, judged, lastLink, linksWhere, purgedThroughOf, type AuditLink } from './audit-link.js';
import type { ChainKeys } from './chain-keys.js';
import { digestOf, entriesWhere, type ChainedEntry } from './chained-entry.js';
import { SettledMark } from './settled-mark.js';

/** Entries of one link at most: some 300 bytes each, read by one statement. */
const DEFAULT_LINK = 500;
/** Links that one purge mark covers at most. */
const MARKED_AT_ONCE = 200;

/** Entries younger than this are never purged, whatever the configuration says: `lcm.purge_audit_trail` has the same floor. */
export const TRAIL_FLOOR: Duration = days(30);

/** What one look at the trail came to. */
export interface Chained {
  /** Entries that got a link now. */
  entries: number;
  /** Whether there may be more at once. */
  full: boolean;
  /** The last link, as an operator keeps it elsewhere; undefined before the first. */
  head: string | undefined;
  /** What is not as this process, or the key, says that it was: somebody changed the chain. Told once. */
  troubles: string[];
}

/** What has no link yet, for the metrics. */
export interface ChainBacklog {
  /** Entries without a link. */
  waiting: number;
  /** Seconds since the oldest of them was written; 0 when there is none. */
  oldestAge: number;
  /** Seconds since the last link was made; undefined before the first. */
  lastLinkAge: number | undefined;
}

const NOTHING: Chained = { entries: 0, full: false, head: undefined, troubles: [] };

/** Entries that no link has, where everything up to $1 is known to have one. */
export const WITHOUT_LINK = `WITH chained AS MATERIALIZED (SELECT unnest(l.entry_ids) AS id FROM lcm.audit_link AS l WHERE l.last_entry > $1)`;
export const NOT_CHAINED = 't.id > $1 AND NOT EXISTS (SELECT FROM chained AS c WHERE c.id = t.id)';

/** Chains the audit trail afterwards, outside of the transactions that write it (ADR 25). */
export class PgAuditChain {
  readonly #mark = new SettledMark();
  /** The last link that this process saw: it must be there the next time, too. */
  #seen: AuditLink | undefined;

  constructor(
    private readonly database: DataSource,
    private readonly keys: ChainKeys,
    private readonly linkSize: number = DEFAULT_LINK,
    /** Not the database's clock: whoever owns that could have young links marked as old. */
    private readonly now: () => number = Date.now,
  ) {}

  /** Gives committed entries that have none a link; nothing while another process does. Costs one statement where nothing is new. */
  async append(): Promise<Chained> {
    if (!(await this.#isNews())) return { ...NOTHING, head: this.#seen && headOf(this.#seen) };
    const done = await this.#alone(undefined, (manager, last) => this.#link(manager, last));
    if (done === undefined) return NOTHING;
    // Only what is committed is known: entries of a link that was lost are looked at again.
    this.#mark.settle(done.settled);
    this.#seen = done.last;
    return { entries: done.entries, full: done.full, head: done.last && headOf(done.last), troubles: done.troubles };
  }

  async #link(manager: EntityManager, last: AuditLink | undefined) {
    const troubles = await this.#troublesWith(manager, last);
    // A chain that is not the one that it was is another database's, or was cut: what was settled there says nothing here.
    if (troubles.length > 0) this.#mark.forget();
    await this.#mark.look(manager);
    const before = greater(last?.settled ?? '0', this.#mark.settled);
    const found = await entriesWhere(
      manager,
      `WHERE ${NOT_CHAINED} ORDER BY t.id LIMIT $2`,
      [before, this.linkSize],
      WITHOUT_LINK,
    );
    const full = found.length === this.linkSize;
    const settled = greater(before, this.#mark.reached(full ? found.at(-1)?.id : undefined));
    const link = found.length === 0 ? last : await this.#add(manager, last, { found, settled });
    return { entries: found.length, full, last: link, settled, troubles };
  }

  /**
   * Says in the chain that links older than this may be gone, a few at a time, so that the purge can remove them: what the key holders
   * did not say, the check misses. Stops before a link that is not as it was made.
   * @returns what is wrong with it, if anything
   * @throws InvariantError below {@link TRAIL_FLOOR}
   */
  async markOld(olderThan: Duration): Promise<string | undefined> {
    if (olderThan < TRAIL_FLOOR) throw new InvariantError('the audit trail keeps its entries for 30 days at least');
    return this.#alone<string | undefined>(undefined, async (manager, last) => {
      const old = await linksWhere(
        manager,
        `WHERE l.number > coalesce((SELECT max(purged_through) FROM lcm.audit_link WHERE purged_through IS NOT NULL), 0)
         ORDER BY l.number LIMIT $1`,
        [MARKED_AT_ONCE],
      );
      const before = timeText(this.now() - olderThan);
      const over = old.slice(
        0,
        firstOr(old, ({ madeAt }) => madeAt >= before),
      );
      const sound = over.slice(
        0,
        firstOr(over, (link) => judged(link, this.keys) !== 'holds'),
      );
      const through = sound.at(-1);
      if (last !== undefined && through !== undefined)
        await this.#add(manager, last, { found: [], settled: last.settled, purgedThrough: through.number });
      const unsound = over[sound.length];
      return unsound && `link ${unsound.number} of the audit trail is not as it was made, so nothing from there on is purged`;
    });
  }

  async backlog(): Promise<ChainBacklog> {
    const [row] = await rowsOf<{ waiting: number; oldestAge: number; lastLinkAge: number | null }>(
      this.database.manager,
      `${WITHOUT_LINK} SELECT count(*)::int AS waiting,
         coalesce(extract(epoch FROM clock_timestamp() - min(t.at)), 0)::float8 AS "oldestAge",
         (SELECT extract(epoch FROM clock_timestamp() - made_at)::float8 FROM lcm.audit_link ORDER BY number DESC LIMIT 1) AS "lastLinkAge"
       FROM lcm.audit_trail AS t WHERE ${NOT_CHAINED}`,
      [await this.#settledOnRecord()],
    );
    return { waiting: row?.waiting ?? 0, oldestAge: row?.oldestAge ?? 0, lastLinkAge: row?.lastLinkAge ?? undefined };
  }

  async #settledOnRecord(): Promise<string> {
    const [row] = await rowsOf<{ settled: string }>(
      this.database.manager,
      'SELECT settled::text AS settled FROM lcm.audit_link ORDER BY number DESC LIMIT 1',
    );
    return row?.settled ?? '0';
  }

  /**
   * An entry above what is settled, or a last link that this process has not seen. The last entry is asked for: whether any is above `$1` PostgreSQL
   * looks up in the whole table once it plans without the number.
   */
  async #isNews(): Promise<boolean> {
    const [row] = await rowsOf<{ last: string | null; more: boolean }>(
      this.database.manager,
      `SELECT (SELECT number || ':' || encode(mac, 'hex') FROM lcm.audit_link ORDER BY number DESC LIMIT 1) AS last,
         coalesce((SELECT max(id) FROM lcm.audit_trail) > $1, false) AS more`,
      [this.#mark.settled],
    );
    return row?.more === true || row?.last !== (this.#seen === undefined ? null : headOf(this.#seen));
  }

  /** Holds the chain's lock until the commit; says `otherwise` while another process has it. */
  #alone<T>(otherwise: T, work: (manager: EntityManager, last: AuditLink | undefined) => Promise<T>): Promise<T> {
    return this.database.transaction(async (manager) => {
      const [row] = await rowsOf<{ locked: boolean }>(
        manager,
        `SELECT pg_try_advisory_xact_lock(hashtextextended('windlass audit trail chain', 0)) AS locked`,
      );
      return row?.locked === true ? work(manager, await lastLink(manager)) : otherwise;
    });
  }

  async #add(
    manager: EntityManager,
    last: AuditLink | undefined,
    { found, settled, purgedThrough = null }: { found: ChainedEntry[]; settled: string; purgedThrough?: number | null },
  ): Promise<AuditLink> {
    const key = this.keys.newest;
    const link = closed(
      {
        number: (last?.number ?? 0) + 1,
        madeAt: timeText(this.now()),
        previous: last?.mac.toString('hex') ?? null,
        settled,
        purgedThrough,
        entryIds: found.map(({ id }) => id),
        digests: found.map((entry) => digestOf(entry, key)),
      },
      key,
    );
    await insertLink(manager, link);
    return link;
  }

  /** Compares the chain with what this process saw of it last, and the last link with its MAC. Chaining goes on in any case. */
  async #troublesWith(manager: EntityManager, last: AuditLink | undefined): Promise<string[]> {
    const troubles: string[] = [];
    const { number, mac } = this.#seen ?? {};
    if (number !== undefined && mac !== undefined) {
      const there = last?.number === number ? last : (await linksWhere(manager, 'WHERE l.number = $1', [number]))[0];
      if (there === undefined && number > (await purgedThroughOf(manager, this.keys)))
        troubles.push(`link ${number} of the audit trail is gone: the last one is ${last?.number ?? 'none'}`);
      if (there?.mac.equals(mac) === false) troubles.push(`link ${number} of the audit trail is another one than before`);
    }
    if (last !== undefined && last.number !== number && judged(last, this.keys) !== 'holds')
      troubles.push(`link ${last.number} of the audit trail, the last one, is not as a holder of the master key made it`);
    return troubles;
  }
}

/** RFC 3339 with microseconds, as PostgreSQL is asked for it. */
const timeText = (time: number): string => new Date(time).toISOString().replace('Z', '000Z');

const greater = (one: string, other: string): string => (BigInt(one) > BigInt(other) ? one : other);

/** The place of the first that is so; behind the last where none is. */
function firstOr<T>(all: readonly T[], isSo: (one: T) => boolean): number {
  const place = all.findIndex(isSo);
  return place < 0 ? all.length : place;
}
