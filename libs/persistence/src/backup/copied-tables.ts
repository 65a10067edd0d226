import { InvariantError } from '@windlass/foundation';
import type { Client } from 'pg';
import type { CopiedSequence, CopiedTable } from './frames.js';

/** Where all of the record lies. The table of migrations lies elsewhere: the schema is made by the migrations. */
export const RECORD_SCHEMAS = ['lcm', 'package', 'vim'];

/** @param name of a schema, a table or a column, as SQL has it */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const nameOf = ({ schema, name }: Pick<CopiedTable, 'schema' | 'name'>): string => `${quoted(schema)}.${quoted(name)}`;

/**
 * Every table of the record with the columns that are copied, each behind those that it refers to. Columns of transaction ids are not: they
 * mean something in the server alone that gave them, and get their defaults.
 */
export async function copiedTables(client: Client): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable & { refersTo: string[] }>(
    `SELECT n.nspname AS schema, c.relname AS name,
       (SELECT coalesce(array_agg(a.attname::text ORDER BY a.attnum), '{}') FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0
          AND NOT a.attisdropped AND a.attgenerated = '' AND a.atttypid <> 'xid8'::regtype) AS columns,
       (SELECT coalesce(array_agg(rn.nspname || '.' || r.relname), '{}') FROM pg_constraint AS f JOIN pg_class AS r ON r.oid = f.confrelid
          JOIN pg_namespace AS rn ON rn.oid = r.relnamespace WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS "refersTo"
     FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname = ANY ($1) ORDER BY n.nspname, c.relname`,
    [RECORD_SCHEMAS],
  );
  const ordered: CopiedTable[] = [];
  const placed = new Set<string>();
  for (let left = rows; left.length > 0;) {
    const next = left.filter(({ refersTo }) => refersTo.every((other) => placed.has(other)));
    if (next.length === 0)
      throw new InvariantError(`tables refer to each other in a circle: ${left.map(({ name }) => name).join(', ')}`);
    for (const { schema, name, columns } of next) {
      ordered.push({ schema, name, columns });
      placed.add(`${schema}.${name}`);
    }
    left = left.filter(({ schema, name }) => !placed.has(`${schema}.${name}`));
  }
  return ordered;
}

/** How far sequences are. Of one that this role may not read, the audit trail's where that has a keeper, nothing is said: its table tells. */
export async function copiedSequences(client: Client): Promise<CopiedSequence[]> {
  const { rows } = await client.query<CopiedSequence>(
    `SELECT schemaname AS schema, sequencename AS name, last_value::text AS last FROM pg_sequences
     WHERE schemaname = ANY ($1) AND last_value IS NOT NULL ORDER BY schemaname, sequencename`,
    [RECORD_SCHEMAS],
  );
  return rows;
}
