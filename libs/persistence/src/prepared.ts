import { InvariantError } from '@windlass/foundation';
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
 * Runs a named statement on the connection of a transaction, or on any where the manager is in none, past TypeORM, which can't name statements.
 * @returns its rows
 */
export async function runPrepared<T>(manager: EntityManager, { name, text }: Statement, values: unknown[]): Promise<T[]> {
  const { queryRunner } = manager;
  if (queryRunner === undefined) return runPreparedAlone(manager.dataSource, { name, text }, values);
  const client = (await queryRunner.connect()) as ClientBase;
  const { rows }: QueryResult = await withOutageErrors(client.query({ name, text, values }));
  return rows as T[];
}

/** A statement that is on its way. */
export interface Sent {
  /** Rejects as the statement fails. */
  readonly answered: Promise<unknown>;
}

/** Sends a named statement on the connection of a transaction; what is asked there next stands behind it. */
export async function sendPrepared({ queryRunner }: EntityManager, { name, text }: Statement, values: unknown[]): Promise<Sent> {
  if (queryRunner === undefined) throw new InvariantError('what nobody waits for is sent in a transaction alone');
  const client = (await queryRunner.connect()) as ClientBase;
  const answered = withOutageErrors(client.query({ name, text, values }));
  // Whoever is given it waits for it, and may meet an error of the connection first.
  answered.catch(() => undefined);
  return { answered };
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
