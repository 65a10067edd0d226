import { createHash, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { ScryptHash } from './access-files.js';

const derive = promisify<string | Buffer, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** What a new password costs: about 60 ms of one core and 32 MiB. */
const COST = { N: 2 ** 15, r: 8, p: 1 } as const;

/** What an entry of the file of tokens knows a token by: its SHA-256 in hexadecimal digits. */
export const sha256Of = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A password as the file of users keeps it, with a salt of its own. */
export async function passwordHashOf(password: string): Promise<ScryptHash> {
  const kept = { ...COST, salt: randomBytes(16), hash: Buffer.alloc(32) };
  return { ...kept, hash: await hashedLike(kept, password) };
}

/** The hash of a password, made as the kept one was (RFC 7914). */
export const hashedLike = ({ N, r, p, salt, hash }: ScryptHash, password: string): Promise<Buffer> =>
  derive(password, salt, hash.length, { N, r, p, maxmem: 256 * N * r * p });

/** A hash that no password has: for a user that is not there, so that finding that out takes as long as a wrong password. */
export const nobodysHash = (): ScryptHash => ({ ...COST, salt: randomBytes(16), hash: randomBytes(32) });
