import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { isRole, type Role } from './roles.js';

/** Who a token or password of a file speaks for. */
interface Entry {
  /** As the audit trail names them. */
  name: string;
  project: string;
  roles: Role[];
}

/** A token: its digest alone is kept. */
export interface TokenEntry extends Entry {
  /** Of the token's text, in hexadecimal digits. */
  sha256: string;
  /** Milliseconds since 1970. */
  expires?: number;
}

/** A user of HTTP Basic. */
export interface UserEntry extends Entry {
  password: ScryptHash;
}

/** A password's hash, and how it was made (RFC 7914). In the file: `scrypt:<N>:<r>:<p>:<salt>:<hash>`, both in base64. */
export interface ScryptHash {
  N: number;
  r: number;
  p: number;
  salt: Buffer;
  hash: Buffer;
}

/** The most that checking one password may take: 128 MiB, which is N 2^17 with r 8. */
const MAX_MEMORY = 128 * 1024 * 1024;

/**
 * Tokens by their digest, from JSON: `[{"name", "project", "roles", "sha256", "expires"?}]`.
 * @throws Error naming the entry that is wrong, nothing of its secret
 */
export function readTokens(text: string): ReadonlyMap<string, TokenEntry> {
  const tokens = entriesIn(text).map(({ entry, where, given }): TokenEntry => {
    const { sha256, expires } = given;
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
      throw new Error(`${where}.sha256: expected the SHA-256 of the token, 64 hexadecimal digits in lower case`);
    if (expires === undefined) return { ...entry, sha256 };
    const time = typeof expires === 'string' && /^\d{4}-\d\d-\d\dT/.test(expires) ? Date.parse(expires) : Number.NaN;
    if (Number.isNaN(time)) throw new Error(`${where}.expires: expected a time such as 2027-01-31T00:00:00Z`);
    return { ...entry, sha256, expires: time };
  });
  return unique(tokens, 'sha256');
}

/** Users by their name, from JSON: `[{"name", "project", "roles", "password": "scrypt:..."}]`. @throws as {@link readTokens} */
export function readUsers(text: string): ReadonlyMap<string, UserEntry> {
  const users = entriesIn(text).map(({ entry, where, given }): UserEntry => {
    const password = typeof given.password === 'string' ? readHash(given.password) : undefined;
    if (password === undefined)
      throw new Error(`${where}.password: expected scrypt:<N>:<r>:<p>:<salt>:<hash> as "windlass access add-user" writes it`);
    if (entry.name.includes(':')) throw new Error(`${where}.name: expected no colon: HTTP Basic ends the name with one`);
    return { ...entry, password };
  });
  return unique(users, 'name');
}

/** As a file keeps it. */
export const hashText = ({ N, r, p, salt, hash }: ScryptHash): string =>
  `scrypt:${N}:${r}:${p}:${salt.toString('base64')}:${hash.toString('base64')}`;

function readHash(text: string): ScryptHash | undefined {
  const [, N = '', r = '', p = '', salt = '', hash = ''] =
    /^scrypt:(\d{1,7}):(\d{1,2}):(\d{1,2}):([A-Za-z0-9+/]{16,}={0,2}):([A-Za-z0-9+/]{42,}={0,2})$/.exec(text) ?? [];
  const read = { N: Number(N), r: Number(r), p: Number(p), salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
  const sound = read.N >= 2 ** 14 && Number.isInteger(Math.log2(read.N)) && read.r > 0 && read.p > 0;
  return sound && 128 * read.N * read.r * read.p <= MAX_MEMORY ? read : undefined;
}

function entriesIn(text: string): { entry: Entry; where: string; given: JsonObject }[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new Error('expected JSON'); // the parser's own message quotes the text
  }
  if (!Array.isArray(list)) throw new Error('expected a list of entries');
  return list.map((given: unknown, index) => {
    const where = `entry ${index}`;
    if (!isJsonObject(given)) throw new Error(`${where}: expected an object`);
    const { name, project, roles } = given;
    for (const [member, value] of Object.entries({ name, project }))
      if (typeof value !== 'string' || value === '' || value.length > 255)
        throw new Error(`${where}.${member}: expected a text of 1 to 255 characters`);
    if (!Array.isArray(roles) || roles.length === 0 || !roles.every(isRole))
      throw new Error(`${where}.roles: expected a list of reader, operator, admin`);
    return { entry: { name: name as string, project: project as string, roles: roles as Role[] }, where, given };
  });
}

function unique<T, K extends keyof T>(entries: readonly T[], member: K): ReadonlyMap<T[K], T> {
  const map = new Map(entries.map((entry) => [entry[member], entry]));
  if (map.size !== entries.length) throw new Error(`two entries have the same ${String(member)}`);
  return map;
}
