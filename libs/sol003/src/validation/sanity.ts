import { isJsonObject, pointerToken } from '@windlass/foundation';
import type { Finding } from './rules.js';

/** Deeper than any request of the standard or the guides by far; shallow enough for every recursive reader behind us. */
export const MAX_DEPTH = 64;

/** More members and elements than any request has by far; few enough to be looked at one by one. */
export const MAX_VALUES = 50_000;

/** Longer than any place in a request of the standard or the guides; findings repeat it, and there may be a thousand of them. */
export const MAX_POINTER = 1_024;

/** More findings than anybody reads: what is that far from a request is looked at no further. */
const MAX_FINDINGS = 100;

/** A NUL or half a surrogate pair: legal in JSON, and neither PostgreSQL's text nor its jsonb can hold them. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/**
 * Finds what no body may contain, whatever its type: a member named `__proto__`, nesting deeper than {@link MAX_DEPTH},
 * more than {@link MAX_VALUES} values, names so long that a pointer to their values has more than {@link MAX_POINTER} characters, text that the
 * database can't store. It walks without recursion, so that the nesting can't end the process first.
 */
export function sanityFindings(body: unknown): Finding[] {
  const findings: Finding[] = [];
  let values = 0;
  const open: { value: unknown; at: string; depth: number }[] = [{ value: body, at: '', depth: 0 }];
  for (let here = open.pop(); here !== undefined && findings.length < MAX_FINDINGS; here = open.pop()) {
    const { value, at, depth } = here;
    values += 1;
    if (values > MAX_VALUES) return [{ at: '', reason: `expected at most ${MAX_VALUES} members and elements in all` }];
    if (typeof value === 'string' && UNSTORABLE.test(value)) {
      findings.push({ at, reason: 'expected text without NUL characters and unpaired surrogates' });
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAX_DEPTH) {
      findings.push({ at, reason: `expected at most ${MAX_DEPTH} levels of nesting` });
      continue;
    }
    for (const [key, member] of membersOf(value)) {
      if (at.length + key.length >= MAX_POINTER) {
        findings.push({ at, reason: `expected names of at most ${MAX_POINTER} characters, those that they lie below included` });
        break;
      }
      const below = `${at}/${pointerToken(key)}`;
      if (key === '__proto__') findings.push({ at: below, reason: 'expected no member of this name' });
      else if (UNSTORABLE.test(key))
        findings.push({ at, reason: 'expected names without NUL characters and unpaired surrogates' });
      else open.push({ value: member, at: below, depth: depth + 1 });
    }
  }
  return findings;
}

const membersOf = (value: object): [string, unknown][] =>
  Array.isArray(value)
    ? value.map((entry: unknown, index): [string, unknown] => [String(index), entry])
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
