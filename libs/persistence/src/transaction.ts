import type { DataSource, EntityManager } from 'typeorm';
import { runPrepared } from './prepared.js';
import { oneOf, type HeldWrite } from './written-together.js';

interface Scope {
  /** What is to be done after the commit, by name. */
  readonly afterwards: Map<string, () => void>;
  /** Records read or written in it, where they can't change behind its back. */
  readonly records: Map<string, unknown> | undefined;
  /** Writes that are held back until its end, by name. */
  readonly held: Map<string, HeldWrite>;
}

const scopes = new WeakMap<EntityManager, Scope>();

export interface TransactionOptions {
  /** True under the lock of an operation's row: nobody else writes its records meanwhile, so each is read once, and written once, at the end. */
  remembers?: boolean;
}

/** Runs work in a transaction; what {@link afterCommit} was told in it happens when it is committed, and never if it is not. */
export async function inTransaction<T>(
  database: DataSource,
  work: (manager: EntityManager) => Promise<T>,
  { remembers = false }: TransactionOptions = {},
): Promise<T> {
  const scope: Scope = { afterwards: new Map(), records: remembers ? new Map() : undefined, held: new Map() };
  const answer = await database.transaction(async (manager) => {
    scopes.set(manager, scope);
    const done = await work(manager);
    await writeHeld(manager, scope.held);
    return done;
  });
  for (const act of scope.afterwards.values()) act();
  return answer;
}

/**
 * Holds a write back until the transaction's end, where all that were held back go out as one statement; at once where the manager is in no transaction that
 * remembers. Nothing in the transaction may read by SQL what is held back.
 * @param name of what is written: a later write takes the place of an earlier one of its name
 * @param write is given what is held back under the name
 */
export async function holdWrite<W extends HeldWrite>(
  manager: EntityManager,
  name: string,
  write: (held?: W) => W,
): Promise<void> {
  const scope = scopes.get(manager);
  if (scope?.records === undefined) {
    const { statement, values } = write();
    await runPrepared(manager, statement, values());
  } else scope.held.set(name, write(scope.held.get(name) as W | undefined));
}

async function writeHeld(manager: EntityManager, held: Map<string, HeldWrite>): Promise<void> {
  const writes = [...held.values()];
  held.clear();
  if (writes.length === 0) return;
  const { statement, values } = oneOf(writes);
  await runPrepared(manager, statement, values());
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

/** Whether the manager's transaction remembers records. */
export const remembers = (manager: EntityManager): boolean => scopes.get(manager)?.records !== undefined;

/** Keeps what nobody changes as it is, for {@link noted}. */
export const note = (manager: EntityManager, key: string, value: unknown): void =>
  void scopes.get(manager)?.records?.set(key, value);

/** What was noted under the key in this transaction. */
export const noted = (manager: EntityManager, key: string): unknown => scopes.get(manager)?.records?.get(key);

/** The record was read or written whole, and is known without being read. */
export function remember(manager: EntityManager, key: string, record: unknown): void {
  const records = scopes.get(manager)?.records;
  if (records !== undefined) records.set(key, structuredClone(record));
}
