import { createHash } from 'node:crypto';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name of a value's content, whatever the order of its members; usable in object names and labels. */
export function contentHash(value: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(value, sortedMembers)).digest();
  return Array.from(digest.subarray(0, 10), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** A JSON replacer that orders members by name. */
function sortedMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
