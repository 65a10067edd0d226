import type { DataSource, EntityManager } from 'typeorm';
import { copyOf } from './copy-of.js';
import { runPrepared, sendPrepared, type Sent } from './prepared.js';
import { Gathering } from './gathering.js';
import { joinedByStatement, oneOf, type HeldWrite } from './written-together.js';

interface Scope {
  /** What is to be done after the commit, by name. */
  readonly afterwards: Map<string, () => void>;
  /** Records read or written in it, where they can't change behind its back. */
  readonly records: Map<string, unknown> | undefined;
  /** Writes that are held back until its end, by name. */
  readonly held: Map<string, HeldWrite>;
  readonly reads: Reads;
}

/** What is read for whoever asks for it; works that share a transaction share it. */
interface Reads {
  /** Of many that are read at once, by their kind. */
  readonly gatherings: Map<string, unknown>;
  /** Of what is read once. */
  readonly once: Map<string, Promise<unknown>>;
  /** Whether works that run side by side share it, and may ask for the same a moment later. */
  readonly isShared: boolean;
  /** The end of the last of those that go one at a time. */
  turn: Promise<unknown>;
}

const newReads = (isShared: boolean): Reads => ({
  gatherings: new Map(),
  once: new Map(),
  isShared,
  turn: Promise.resolve(),
});

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
  const scope: Scope = {
    afterwards: new Map(),
    records: remembers ? new Map() : undefined,
    held: new Map(),
    reads: newReads(false),
  };
  const { done, written } = await database.transaction(async (manager) => {
    scopes.set(manager, scope);
    const ended = await work(manager);
    return { done: ended, written: await sendHeld(manager, [...scope.held.values()]) };
  });
  await written?.answered;
  for (const act of scope.afterwards.values()) act();
  return done;
}

/** What shares a transaction with others: it has a manager, records and held writes of its own, and writes no row that another writes. */
export type SharingWork<T> = (manager: EntityManager) => Promise<T>;

/**
 * Runs works side by side in one transaction that remembers, each as in one of its own: all of them are committed, or none.
 * @param begin what they have in common, before them; it says which there are
 * @throws what the first that failed has thrown, after all have ended
 */
export async function inSharedTransaction<T>(
  database: DataSource,
  begin: (manager: EntityManager) => Promise<readonly SharingWork<T>[]>,
): Promise<T[]> {
  const shared: Scope[] = [];
  const { answers, written } = await database.transaction(async (manager) => {
    const reads = newReads(true);
    const works = await begin(manager);
    const ended = await Promise.allSettled(
      works.map((work) => {
        const own = database.createEntityManager(manager.queryRunner);
        const scope: Scope = { afterwards: new Map(), records: new Map(), held: new Map(), reads };
        scopes.set(own, scope);
        shared.push(scope);
        return work(own);
      }),
    );
    const done = ended.map((end) => {
      if (end.status === 'rejected') throw end.reason as Error;
      return end.value;
    });
    const held = joinedByStatement(shared.flatMap((each) => [...each.held.values()]));
    return { answers: done, written: await sendHeld(manager, held) };
  });
  await written?.answered;
  for (const { afterwards } of shared) for (const act of afterwards.values()) act();
  return answers;
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

/**
 * Sends what was held back, for which nobody waits before the transaction's end: COMMIT goes out behind it. Where it fails, so does the transaction, and
 * PostgreSQL takes it back on COMMIT: whoever was given the answer is told so.
 */
async function sendHeld(manager: EntityManager, writes: readonly HeldWrite[]): Promise<Sent | undefined> {
  if (writes.length === 0) return undefined;
  const { statement, values } = oneOf(writes);
  return sendPrepared(manager, statement, values());
}

/**
 * Reads one of many of a kind. What one transaction asks for at the same moment, or works that share one, is read by one statement.
 * @param kind what `read` reads, and the statement by which
 * @param read all that were asked for; its answer has one for each, in their order
 */
export function gathered<K, V>(
  manager: EntityManager,
  kind: string,
  key: K,
  read: (keys: readonly K[]) => Promise<readonly V[]>,
): Promise<V> {
  const scope = scopes.get(manager);
  if (scope === undefined) return read([key]).then(([found]) => found as V);
  const { gatherings, isShared } = scope.reads;
  const found = gatherings.get(kind) as Gathering<K, V> | undefined;
  const gathering = found ?? new Gathering<K, V>(read, isShared);
  gatherings.set(kind, gathering);
  return gathering.ask(key);
}

/** Reads something that the transaction does not change, once for all who ask for it there; each time where the transaction does not remember. Nobody may change it. */
export function readOnce<T>(manager: EntityManager, key: string, read: () => Promise<T>): Promise<T> {
  const scope = scopes.get(manager);
  if (scope?.records === undefined) return read();
  const { once } = scope.reads;
  const found = (once.get(key) as Promise<T> | undefined) ?? read();
  once.set(key, found);
  return found;
}

/** Whether other works share the manager's transaction: a lock that it takes keeps none of them out. */
export const isShared = (manager: EntityManager): boolean => scopes.get(manager)?.reads.isShared === true;

/** Does what a lock keeps others away from while it is done: works that share the transaction do it one after the other, and each sees what those before have done. */
export function oneAtATime<T>(manager: EntityManager, work: () => Promise<T>): Promise<T> {
  const reads = scopes.get(manager)?.reads;
  if (reads?.isShared !== true) return work();
  const done = reads.turn.then(work);
  reads.turn = done.catch(() => undefined);
  return done;
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
  return copyOf(records.get(key)) as T;
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

/** The record was written whole, and is known without being read. @param record that nobody changes any more */
export const remember = (manager: EntityManager, key: string, record: unknown): void =>
  void scopes.get(manager)?.records?.set(key, record);
