import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { headOf, judged, lastLink, linksWhere, purgedThroughOf, type AuditLink } from './audit-link.js';
import type { ChainKeys } from './chain-keys.js';
import { digestOf, entriesWhere } from './chained-entry.js';
import { NOT_CHAINED, WITHOUT_LINK } from './pg-audit-chain.js';
import { separationOf, type Separation } from './separation.js';

/** Links and entries that one page goes through at most. */
const PAGE_LINKS = 500;
const PAGE_ENTRIES = 5_000;

/** Entries without a link that are older than this were overlooked, or put in behind the chain. Coordinators look each few seconds. */
const OVERDUE_SECONDS = 300;

/** What is not as it was. */
export interface ChainFinding {
  kind:
    | 'link-changed'
    | 'link-missing'
    | 'key-unknown'
    | 'entry-changed'
    | 'entry-missing'
    | 'entry-inserted'
    | 'entry-overdue'
    | 'head-missing'
    | 'head-differs'
    | 'head-purged';
  /** The number of the link that it is about. */
  link: number | null;
  /** Ids of the entries that it is about. */
  entries: string[];
  detail: string;
}

/** One page of a check. */
export interface CheckedPage {
  /** The links of this page; null where there were none. */
  links: { from: number; through: number } | null;
  /** Entries of these links. */
  entries: number;
  findings: ChainFinding[];
  /** Ask for links after this one next; null at the end. */
  next: number | null;
  /** Links up to this one are older than the trail is kept, so they and their entries are not looked for. 0 where there are none. */
  purgedThrough: number;
  /** At the end: what the chain stands at. */
  end: { head: string | null; waiting: number; separation: Separation } | null;
}

/** Where a check begins, and what is known from elsewhere. */
export interface CheckRequest {
  /** Links up to this one were checked. */
  after: number;
  /** A link that must be there. */
  head?: { number: number; mac: Buffer };
}

/** Compares the audit trail with its chain, a page at a time, as one moment of the database shows it. Changes nothing. */
export class ChainCheck {
  constructor(
    private readonly database: DataSource,
    private readonly keys: ChainKeys,
    private readonly pageLinks: number = PAGE_LINKS,
  ) {}

  /** The last link as an operator keeps it elsewhere; null before the first. */
  async head(): Promise<string | null> {
    const last = await lastLink(this.database.manager);
    return last === undefined ? null : headOf(last);
  }

  page({ after, head }: CheckRequest): Promise<CheckedPage> {
    return this.database.transaction('REPEATABLE READ', async (manager) => {
      const purgedThrough = await purgedThroughOf(manager, this.keys);
      const start = Math.max(after, purgedThrough);
      const links = await pageAfter(manager, start, this.pageLinks);
      const [before] = await linksWhere(manager, 'WHERE l.number = $1', [start]);
      const findings = head === undefined ? [] : await this.#headFindings(manager, head, purgedThrough);
      findings.push(...this.#chainFindings(links, before, { start, purgedThrough }));
      findings.push(...(await this.#entryFindings(manager, links, before)));
      const last = links.at(-1);
      const more =
        last === undefined ? [] : await rowsOf(manager, 'SELECT FROM lcm.audit_link WHERE number > $1 LIMIT 1', [last.number]);
      const ended = more.length === 0;
      if (ended) findings.push(...(await overdue(manager)));
      return {
        links: links[0] === undefined || last === undefined ? null : { from: links[0].number, through: last.number },
        entries: links.reduce((sum, { entryIds }) => sum + entryIds.length, 0),
        findings,
        next: ended ? null : (last?.number ?? null),
        purgedThrough,
        end: ended ? await this.#end(manager) : null,
      };
    });
  }

  /** The links among themselves: each as it was made, and behind the one before. */
  #chainFindings(links: readonly AuditLink[], before: AuditLink | undefined, from: { start: number; purgedThrough: number }) {
    const findings: ChainFinding[] = [];
    let previous = before;
    let expected = from.start + 1;
    for (const link of links) {
      const { number } = link;
      if (number !== expected) findings.push(missing(expected, number - 1));
      const verdict = judged(link, this.keys);
      if (verdict === 'unknown-key') findings.push(ofLink('key-unknown', number, unknownKey(link)));
      else if (verdict === 'changed') findings.push(ofLink('link-changed', number, `link ${number} is not as it was made`));
      else if (number === expected && !follows(link, previous, from.purgedThrough))
        findings.push(ofLink('link-changed', number, `link ${number} does not follow link ${number - 1} as that is now`));
      previous = link;
      expected = number + 1;
    }
    return findings;
  }

  /** The entries of links that hold, and what lies between them without a link. */
  async #entryFindings(manager: EntityManager, links: readonly AuditLink[], before: AuditLink | undefined) {
    const findings: ChainFinding[] = [];
    const sound = links.filter((link) => judged(link, this.keys) === 'holds');
    const ids = sound.flatMap(({ entryIds }) => entryIds);
    const entries = await entriesWhere(manager, 'WHERE t.id = ANY ($1::bigint[])', [ids]);
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    for (const link of sound) {
      const key = this.keys.named(link.keyId);
      const gone = link.entryIds.filter((id) => !byId.has(id));
      const changed = link.entryIds.filter((id, place) => {
        const entry = byId.get(id);
        return entry !== undefined && key !== undefined && digestOf(entry, key) !== link.digests[place];
      });
      if (gone.length > 0) findings.push(ofEntries('entry-missing', link.number, gone, 'are in the chain, but not in the trail'));
      if (changed.length > 0)
        findings.push(ofEntries('entry-changed', link.number, changed, 'were changed since they were chained'));
    }
    const through = sound.at(-1)?.settled;
    if (through === undefined) return findings;
    const inserted = await entriesWhere(
      manager,
      `WHERE ${NOT_CHAINED} AND t.id <= $2 ORDER BY t.id LIMIT ${PAGE_ENTRIES}`,
      [before?.settled ?? '0', through],
      WITHOUT_LINK,
    );
    if (inserted.length > 0)
      findings.push(ofEntries('entry-inserted', null, idsOf(inserted), 'were put in where the chain had come past already'));
    return findings;
  }

  /** Whether the link that is known from elsewhere is there as it was. */
  async #headFindings(manager: EntityManager, { number, mac }: { number: number; mac: Buffer }, purgedThrough: number) {
    const [link] = await linksWhere(manager, 'WHERE l.number = $1', [number]);
    if (link?.mac.equals(mac) === true)
      return judged(link, this.keys) === 'changed'
        ? [ofLink('link-changed', number, `link ${number} is not as it was made`)]
        : [];
    if (link !== undefined) return [ofLink('head-differs', number, `link ${number} is another one than the head that was given`)];
    if (number <= purgedThrough)
      return [ofLink('head-purged', number, `link ${number} was purged for its age: compare with a head that is younger`)];
    const last = (await lastLink(manager))?.number ?? 'none';
    return [ofLink('head-missing', number, `the head that was given, link ${number}, is not there: the last link is ${last}`)];
  }

  async #end(manager: EntityManager): Promise<CheckedPage['end']> {
    const last = await lastLink(manager);
    const [row] = await rowsOf<{ waiting: number }>(
      manager,
      `${WITHOUT_LINK} SELECT count(*)::int AS waiting FROM lcm.audit_trail AS t WHERE ${NOT_CHAINED}`,
      [last?.settled ?? '0'],
    );
    return {
      head: last === undefined ? null : headOf(last),
      waiting: row?.waiting ?? 0,
      separation: await separationOf(manager),
    };
  }
}

/** So many links that their entries fill a page, one at least. */
const pageAfter = (manager: EntityManager, start: number, atMost: number): Promise<AuditLink[]> =>
  linksWhere(
    manager,
    `JOIN (SELECT number, sum(cardinality(entry_ids)) OVER (ORDER BY number) AS total, row_number() OVER (ORDER BY number) AS place
           FROM (SELECT number, entry_ids FROM lcm.audit_link WHERE number > $1 ORDER BY number LIMIT $2) AS following
     ) AS counted ON counted.number = l.number WHERE counted.total <= ${PAGE_ENTRIES} OR counted.place = 1 ORDER BY l.number`,
    [start, atMost],
  );

/** Behind links that are gone for their age, what it follows can't be looked at; its own MAC covers it. */
function follows(link: AuditLink, previous: AuditLink | undefined, purgedThrough: number): boolean {
  if (previous === undefined) return link.number === purgedThrough + 1 && (link.number > 1 || link.previous === null);
  return link.previous === previous.mac.toString('hex');
}

async function overdue(manager: EntityManager): Promise<ChainFinding[]> {
  const last = await lastLink(manager);
  const late = await entriesWhere(
    manager,
    `WHERE ${NOT_CHAINED} AND t.at < clock_timestamp() - make_interval(secs => ${OVERDUE_SECONDS}) ORDER BY t.id LIMIT ${PAGE_ENTRIES}`,
    [last?.settled ?? '0'],
    WITHOUT_LINK,
  );
  const detail =
    'have no link, though they are older than 5 minutes: does a coordinator run, and does its log tell of the chain?';
  return late.length === 0 ? [] : [ofEntries('entry-overdue', null, idsOf(late), detail)];
}

const idsOf = (entries: readonly { id: string }[]): string[] => entries.map(({ id }) => id);

const ofLink = (kind: ChainFinding['kind'], link: number, detail: string): ChainFinding => ({ kind, link, entries: [], detail });

const ofEntries = (kind: ChainFinding['kind'], link: number | null, entries: string[], detail: string): ChainFinding => ({
  kind,
  link,
  entries,
  detail: `${entries.length} entries ${detail}`,
});

const missing = (from: number, through: number): ChainFinding =>
  ofLink('link-missing', from, from === through ? `link ${from} is missing` : `links ${from} to ${through} are missing`);

const unknownKey = ({ number, keyId }: AuditLink): string =>
  `link ${number} was made with master key ${keyId}, which is not among those given: add the old key behind the new one`;
