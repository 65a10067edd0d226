import { createHash } from 'node:crypto';
import type { Statement } from './prepared.js';

/** A write of a transaction, which may go out together with others. */
export interface HeldWrite {
  readonly statement: Statement;
  /** The values of the statement's parameters, when it goes out. */
  readonly values: () => unknown[];
}

/** A write of rows, each parameter of which is a list: what works of one transaction write so is written by one statement. */
export interface HeldRows extends HeldWrite {
  /** Joins what several of the statement have as values. */
  readonly joined: (values: readonly unknown[][]) => unknown[];
}

/** Rows by lists, one for each column: `unnest($1::uuid[], $2::text[])`. */
export const rowsByColumn = (statement: Statement, values: () => unknown[][]): HeldRows => ({
  statement,
  values,
  joined: (all) => (all[0] ?? []).map((_first, at) => all.flatMap((each) => each[at] as unknown[])),
});

/** Rows as the one parameter, a JSON array, which the statement reads by {@link givenRows}. */
export const rowsAsJson = (statement: Statement, rows: () => readonly unknown[]): HeldRows => ({
  statement,
  values: () => [JSON.stringify(rows())],
  joined: (all) => [`[${all.map(([json]) => (json as string).slice(1, -1)).join(',')}]`],
});

/**
 * The rows of {@link rowsAsJson}, as a FROM has them. Their number is the limit, which takes none away: without it PostgreSQL counts on a hundred, whatever
 * there are, and reads a table of some ten thousand rows through rather than ask its index a hundred times. Of a limit that it does not know it expects a tenth,
 * and the limit stands there twice: of ten rows it would make that plan, too, while the table is small, and keep it when it is large.
 * @param table whose columns the rows have
 */
export const givenRows = (table: string): string =>
  `(SELECT * FROM (SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) LIMIT jsonb_array_length($1::jsonb)) AS given
    LIMIT jsonb_array_length($1::jsonb))`;

/**
 * Rows by lists, as a FROM has them, each with its place at the end. Their number is the limit, which takes none away. PostgreSQL plans a statement once a connection,
 * perhaps while the table is empty, and keeps the plan however long the table gets: for ten rows, on which it counts without the limit, it would read all of it.
 * @param first the parameter of the first list, which is as long as each of the others
 */
export const listedRows = (first: string, ...others: string[]): string =>
  `(SELECT * FROM unnest(${[first, ...others].join(', ')}) WITH ORDINALITY LIMIT cardinality(${first}))`;

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

/** Rows that the same statement writes as one write, whoever writes them; the rest as it is. In the order of their statements' names: there are few combinations. */
export function joinedByStatement(writes: readonly HeldWrite[]): HeldWrite[] {
  const rows = new Map<string, HeldRows[]>();
  const others: HeldWrite[] = [];
  for (const write of writes) {
    if ('joined' in write) rows.set(write.statement.name, [...(rows.get(write.statement.name) ?? []), write as HeldRows]);
    else others.push(write);
  }
  const joined = [...rows.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    return { statement: first.statement, values: () => first.joined(same.map(({ values }) => values())) };
  });
  return [...joined, ...others].sort((one, other) => (one.statement.name < other.statement.name ? -1 : 1));
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
