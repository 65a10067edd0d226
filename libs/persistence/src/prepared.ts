import type { ClientBase, Pool, QueryResult } from 'pg';
import type { DataSource, Driver, EntityManager } from 'typeorm';
import { withOutageErrors } from './outage.js';

/** A statement of the hot path. PostgreSQL parses and plans it once a connection, by its name. */
export interface Statement {
  /** Unique; the same name always means the same text. */
  readonly name: string;
  readonly text: string;
}

/**
 * Runs a named statement on the connection of a transaction, past TypeORM, which can't name statements.
 * @returns its rows
 */
export async function runPrepared<T>(manager: EntityManager, { name, text }: Statement, values: unknown[]): Promise<T[]> {
  const { queryRunner } = manager;
  if (queryRunner === undefined) return (await manager.query(text, values)) as T[];
  const client = (await queryRunner.connect()) as ClientBase;
  const { rows }: QueryResult = await withOutageErrors(client.query({ name, text, values }));
  return rows as T[];
}

/**
 * Runs one statement on any free connection, outside of a transaction and past TypeORM. Without a name it is planned each time.
 * @returns its rows
 */
export async function runPreparedAlone<T>(
  { driver }: DataSource,
  { name, text }: Pick<Statement, 'text'> & Partial<Statement>,
  values: unknown[],
): Promise<T[]> {
  const { master } = driver as Driver & { master: Pool };
  const { rows }: QueryResult = await withOutageErrors(master.query({ text, values, ...(name === undefined ? {} : { name }) }));
  return rows as T[];
}
