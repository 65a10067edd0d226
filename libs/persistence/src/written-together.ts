import { createHash } from 'node:crypto';
import type { Statement } from './prepared.js';

/** A write of a transaction, which may go out together with others. */
export interface HeldWrite {
  readonly statement: Statement;
  /** The values of the statement's parameters, when it goes out. */
  readonly values: () => unknown[];
}

/** By the names of their parts, in their order. */
const known = new Map<string, Statement>();

/**
 * Writes as one statement, which sends them all on one way to PostgreSQL and back. Each is a part of one `WITH`: all of them see what was there before
 * any, none sees another, and in which order they are done is not told. So two of them must not write the same row.
 */
export function oneOf(writes: readonly HeldWrite[]): HeldWrite {
  const [first, ...others] = writes;
  if (first === undefined) throw new RangeError('nothing is to be written');
  if (others.length === 0) return first;
  return {
    statement: together(writes.map(({ statement }) => statement)),
    values: () => writes.flatMap(({ values }) => values()),
  };
}

/** Of the same statements it is the same, with the same name. */
function together(statements: readonly Statement[]): Statement {
  const names = statements.map(({ name }) => name).join(', ');
  const found = known.get(names);
  if (found !== undefined) return found;
  let before = 0;
  const parts = statements.map(({ text }, n) => {
    const shifted = text.replaceAll(/\$(\d+)/g, (_all, number: string) => `$${Number(number) + before}`);
    before += parametersOf(text);
    return `part${n} AS (${shifted})`;
  });
  const text = `WITH ${parts.join(', ')} SELECT`;
  // Names of statements are 63 bytes at most, and the same in every process.
  const made = { name: `windlass together ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`, text };
  known.set(names, made);
  return made;
}

const parametersOf = (text: string): number => Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
