import type { DataSource, EntityManager } from 'typeorm';

interface Scope {
  /** What is to be done after the commit, by name. */
  readonly afterwards: Map<string, () => void>;
  /** Records read or written in it, where they can't change behind its back. */
  readonly records: Map<string, unknown> | undefined;
}

const scopes = new WeakMap<EntityManager, Scope>();

export interface TransactionOptions {
  /** True under the lock of an operation's row: nobody else writes its records meanwhile, so each is read once. */
  remembers?: boolean;
}

/** Runs work in a transaction; what {@link afterCommit} was told in it happens when it is committed, and never if it is not. */
export async function inTransaction<T>(
  database: DataSource,
  work: (manager: EntityManager) => Promise<T>,
  { remembers = false }: TransactionOptions = {},
): Promise<T> {
  const scope: Scope = { afterwards: new Map(), records: remembers ? new Map() : undefined };
  const answer = await database.transaction((manager) => {
    scopes.set(manager, scope);
    return work(manager);
  });
  for (const act of scope.afterwards.values()) act();
  return answer;
}

/**
 * Does something once the transaction is committed, and once however often it is asked for; at once where the manager is in none of {@link inTransaction}'s.
 * It may be lost with the process: for what somebody else would do a little later anyway.
 */
export function afterCommit(manager: EntityManager, name: string, act: () => void): void {
  const scope = scopes.get(manager);
  if (scope === undefined) act();
  else scope.afterwards.set(name, act);
}

/** A copy of the record as this transaction last read or wrote it, else what `read` finds. */
export async function remembered<T>(manager: EntityManager, key: string, read: () => Promise<T>): Promise<T> {
  const records = scopes.get(manager)?.records;
  if (records === undefined) return read();
  if (!records.has(key)) records.set(key, await read());
  return structuredClone(records.get(key)) as T;
}

/** The record was written: it is read anew. */
export const forget = (manager: EntityManager, key: string): void => void scopes.get(manager)?.records?.delete(key);

/** The record was written whole, and is known without being read. */
export function remember(manager: EntityManager, key: string, record: unknown): void {
  const records = scopes.get(manager)?.records;
  if (records !== undefined) records.set(key, structuredClone(record));
}
