import type { EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { DIGEST_BYTES, type ChainKey, type ChainKeys } from './chain-keys.js';

/** What a link binds together, in the order of its MAC. Another order or another entry form is another format. */
const FORMAT = 1;

/** A link of the chain over the audit trail: which entries it covers, and the link before. */
export interface AuditLink {
  number: number;
  format: number;
  /** By the clock of whoever made it, RFC 3339 with microseconds. */
  madeAt: string;
  /** Names the master key of its MAC. */
  keyId: string;
  /** The MAC of the link before, in hexadecimal; null of the first. */
  previous: string | null;
  /** Every entry with this id or a lower one is in this link or one before it, and none can appear any more. */
  settled: string;
  /** In ascending order. */
  entryIds: string[];
  /** One of {@link DIGEST_BYTES} for each entry, in hexadecimal. */
  digests: string[];
  /** Links up to this one are older than the trail is kept: they and their entries may be gone. Null of all other links. */
  purgedThrough: number | null;
  mac: Buffer;
}

/** The number and MAC of a link, as an operator keeps them elsewhere: `17:<64 hexadecimal digits>`. */
export const headOf = ({ number, mac }: Pick<AuditLink, 'number' | 'mac'>): string => `${number}:${mac.toString('hex')}`;

/** Undefined for what is no head. */
export function parseHead(text: string): { number: number; mac: Buffer } | undefined {
  const [, number, mac] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i.exec(text) ?? [];
  return number === undefined || mac === undefined ? undefined : { number: Number(number), mac: Buffer.from(mac, 'hex') };
}

type Unsealed = Omit<AuditLink, 'format' | 'keyId' | 'mac'>;

const valuesOf = ({ number, madeAt, previous, settled, purgedThrough, entryIds, digests }: Unsealed): unknown[] => [
  'windlass audit link',
  FORMAT,
  number,
  madeAt,
  previous,
  settled,
  purgedThrough,
  entryIds,
  digests.join(''),
];

/** Closes a link with its MAC. */
export const closed = (link: Unsealed, key: ChainKey): AuditLink => ({
  ...link,
  format: FORMAT,
  keyId: key.id,
  mac: key.mac(...valuesOf(link)),
});

/** Whether the link is as a holder of the key made it; `unknown-key` where that key is not at hand. */
export function judged(link: AuditLink, keys: ChainKeys): 'holds' | 'changed' | 'unknown-key' {
  const key = keys.named(link.keyId);
  if (key === undefined) return 'unknown-key';
  return link.format === FORMAT && key.holds(link.mac, ...valuesOf(link)) ? 'holds' : 'changed';
}

const COLUMNS = `l.number::text AS number, l.format, to_char(l.made_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "madeAt",
  encode(l.key_id, 'hex') AS "keyId", encode(l.previous, 'hex') AS previous, l.settled::text AS settled, l.entry_ids::text[] AS "entryIds",
  encode(l.digests, 'hex') AS digests, l.purged_through::text AS "purgedThrough", l.mac`;

type Row = Omit<AuditLink, 'number' | 'digests' | 'purgedThrough'> & {
  number: string;
  digests: string;
  purgedThrough: string | null;
};

const linkOf = ({ number, digests, purgedThrough, ...row }: Row): AuditLink => ({
  ...row,
  number: Number(number),
  digests: digests.match(new RegExp(`.{1,${2 * DIGEST_BYTES}}`, 'g')) ?? [],
  purgedThrough: purgedThrough === null ? null : Number(purgedThrough),
});

/** Links of `lcm.audit_link AS l` by what follows `FROM`. */
export async function linksWhere(manager: EntityManager, rest: string, parameters: unknown[] = []): Promise<AuditLink[]> {
  return (await rowsOf<Row>(manager, `SELECT ${COLUMNS} FROM lcm.audit_link AS l ${rest}`, parameters)).map(linkOf);
}

/** The last link; undefined before the first. */
export async function lastLink(manager: EntityManager): Promise<AuditLink | undefined> {
  return (await linksWhere(manager, 'ORDER BY l.number DESC LIMIT 1'))[0];
}

/** Marks of the purge that are looked at: more forged ones than that, and the purge counts as none. */
const MARKS = 100;

/** Up to which link links may be gone, as the last one says that names one and holds; 0 where there is none. */
export async function purgedThroughOf(manager: EntityManager, keys: ChainKeys): Promise<number> {
  const marks = await linksWhere(manager, `WHERE l.purged_through IS NOT NULL ORDER BY l.number DESC LIMIT ${MARKS}`);
  return marks.find((mark) => judged(mark, keys) === 'holds')?.purgedThrough ?? 0;
}

export async function insertLink(manager: EntityManager, link: AuditLink): Promise<void> {
  await manager.query(
    `INSERT INTO lcm.audit_link (number, format, made_at, key_id, previous, settled, entry_ids, last_entry, digests, purged_through, mac)
     VALUES ($1, $2, $3, decode($4, 'hex'), decode($5, 'hex'), $6, $7, $8, decode($9, 'hex'), $10, $11)`,
    [
      link.number,
      link.format,
      link.madeAt,
      link.keyId,
      link.previous,
      link.settled,
      link.entryIds,
      link.entryIds.at(-1) ?? null,
      link.digests.join(''),
      link.purgedThrough,
      link.mac,
    ],
  );
}
