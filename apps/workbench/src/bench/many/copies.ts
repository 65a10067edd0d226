import type { ClientBase } from 'pg';

/** Where rows are copied from, and what of each copy is another. SQL: `s` is the row that is copied, `n` the copy's number. */
export interface Copies {
  table: string;
  /** Which rows are copied, each as often as there are numbers. */
  from: string;
  /** SQL of columns that are not as they were. */
  changed: Readonly<Record<string, string>>;
  /** Numbers: from the first to the one before the last, each so many. */
  first: number;
  last: number;
  step?: number;
  /** Which numbers. */
  where?: string;
}

/** Inserts copies of rows that the product wrote: whatever columns a table has, the copies have them. */
export async function copy(
  database: ClientBase,
  { table, from, changed, first, last, step = 1, where = 'true' }: Copies,
): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
       AND attidentity = '' AND attgenerated = '' ORDER BY attnum`,
    [table],
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => changed[name] ?? `s."${name}"`);
  await database.query(
    `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')})
     SELECT ${values.join(', ')} FROM generate_series(${first}::bigint, ${last - 1}::bigint, ${step}) AS n CROSS JOIN (SELECT * FROM ${table} WHERE ${from}) AS s
     WHERE ${where} ORDER BY n`,
  );
}

/** Random bytes, as many as these: what is sealed does not compress. */
export const noise = (bytes: number): string =>
  `decode((SELECT string_agg(md5(n::text || ' ' || part::text), '') FROM generate_series(1, ${Math.ceil(bytes / 16)}) AS part), 'hex')`;
