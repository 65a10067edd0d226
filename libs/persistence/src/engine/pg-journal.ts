import { seconds, TransientError, Turns, type Duration, type Json } from '@windlass/foundation';
import { INTERNAL_KINDS } from '@windlass/lifecycle';
import type {
  AwaitedKind,
  HeldClaim,
  WakeUp,
  Journal,
  JournalLook,
  JournalTransaction,
  LimitUse,
  OperationRecord,
  PayloadKind,
  Vacancy,
  StepRecord,
  WantedPlaces,
} from '@windlass/saga';
import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { Gathering } from '../gathering.js';
import { runPrepared, runPreparedAlone, type Statement } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';
import { DATABASE_AWAY } from '../outage.js';
import { holdWrite, inSharedTransaction, inTransaction, isShared } from '../transaction.js';
import { givenRows, rowsAsJson } from '../written-together.js';
import { KeptSteps, type LockedOperation } from './kept-steps.js';
import { Lanes, type InLane } from './lanes.js';
import { LeaseExtensions } from './lease-extensions.js';
import { LimitPlaces, PlacesContended } from './limit-places.js';
import { LIMIT_USE, LOOK, WAITING } from './look-statements.js';
import { PgPayloads } from './payloads.js';
import { MUTABLE_STEP_COLUMNS, rowOf, STEP_COLUMNS } from './rows.js';
import { CountedBefore, SharedPlaces } from './shared-places.js';

const CHANGED_OF_OPERATION = ['status', 'stops_into', 'milestone', 'cancel', 'failure', 'status_since'] as const;

const UPDATE_OPERATION: Statement = {
  name: 'windlass operation update',
  text: `UPDATE lcm.operation AS o SET ${CHANGED_OF_OPERATION.map((column) => `${column} = r.${column}`).join(', ')}
  FROM ${givenRows('lcm.operation')} AS r WHERE o.id = r.id`,
};

const INSERT_STEPS: Statement = {
  name: 'windlass steps insert',
  text: `INSERT INTO lcm.step (${STEP_COLUMNS.join(', ')})
  SELECT ${STEP_COLUMNS.join(', ')} FROM ${givenRows('lcm.step')} AS r`,
};

const UPDATE_STEPS: Statement = {
  name: 'windlass steps update',
  text: `UPDATE lcm.step AS s SET ${MUTABLE_STEP_COLUMNS.map((column) => `${column} = r.${column}`).join(', ')}
  FROM ${givenRows('lcm.step')} AS r WHERE s.operation_id = r.operation_id AND s.id = r.id`,
};

const LOCK_PROCESS: Statement = { name: 'windlass suspects lock', text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))' };

/** As `processOf` of `@windlass/saga` has it. */
const QUARANTINED_IN: Statement = {
  name: 'windlass suspects in',
  text: `SELECT losses FROM lcm.step WHERE state = 'running' AND losses > 0 AND regexp_replace(owner, '^.*@', '') = $1`,
};

interface WaitingRow {
  key: string;
  operation_id: string;
  id: string;
  epoch: number;
  service: string;
  has_place: boolean;
}

type CountPlaces = JournalTransaction['countRunning'];

type Work<T> = (tx: JournalTransaction) => Promise<T>;

/** Transactions side by side, in one process, that several operations share: while one is written to the disk, the other goes on. */
const SHARED_LANES = 2;

/** Operations that share a transaction at most: all of them stay locked until it is committed. */
const MOST_SHARED = 8;

/**
 * Transactions at a time, in one process, of what could not share one, each in one of its own: near a limit they wait for its lock one behind the other, and
 * each that waits there holds a connection, which all else lacks. The others wait here, and hold none.
 */
const APART = 4;

/** As long as the pool lets anybody wait for a connection: whoever asked has given up by then, and asks again. */
const APART_WITHIN = seconds(5);

/** A transaction takes milliseconds; what takes longer waits for somebody's lock, and nobody waits for it. */
const SLOW = seconds(0.25);

interface LookRow {
  now: Date;
  operation_id: string | null;
  /** Of a step; null where the operation is due. */
  id: string | null;
  kind: AwaitedKind | 'due';
  at: Date;
  rung_at: Date | null;
  /** Of what is due, its turn, as PostgreSQL writes a bigint. */
  place: string;
}

/** The journal in PostgreSQL: plain, parametrised, prepared statements. */
export class PgJournal implements Journal {
  readonly #kept = new KeptSteps();
  readonly #places = new LimitPlaces();
  readonly #extensions: LeaseExtensions;
  readonly #lanes = new Lanes<OnOperation>(
    { lanes: SHARED_LANES, most: MOST_SHARED, mayJoin: isOfAnother, slow: SLOW },
    (together) => this.#together(together),
  );
  readonly #apart = new Turns({ places: APART });
  /** Operations that shared a commit, or were committed at the same moment, ask together. */
  readonly #looks = new Gathering<Vacancy, WakeUp[]>((vacancies) => this.#whoWaits(vacancies), true);

  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
  ) {
    this.#extensions = new LeaseExtensions(database);
  }

  async transact<T>(
    operationId: string,
    work: Work<T>,
    { skipLocked = false, beside = false }: { skipLocked?: boolean; beside?: boolean } = {},
  ): Promise<T | undefined> {
    if (!beside || skipLocked) return this.#alone(operationId, work, { skipLocked });
    let answer: T | undefined;
    await this.#lanes.ask({ operationId, act: async (tx) => void (answer = await work(tx)) });
    return answer;
  }

  /** All of them in one transaction; those that can't be done so, each in one of its own. */
  async #together(all: readonly InLane<OnOperation>[]): Promise<void> {
    let done: Set<InLane<OnOperation>>;
    try {
      done = await this.#inOne(all, false).catch((error: unknown) => {
        // They still share it. Each by itself would be as many transactions under the lock of the same limit, one after the other.
        if (error instanceof PlacesContended && !(error instanceof CountedBefore)) return this.#inOne(all, true);
        throw error;
      });
    } catch (error) {
      // What is away is away for each of them, and of one that stands alone the error is its own. All else may be the fault of one, which takes no other along.
      if (isAway(error) || (all.length === 1 && !isOfSharing(error))) {
        for (const { reject } of all) reject(error);
      } else {
        for (const { request, resolve, reject } of all)
          this.#inTurn(request.operationId, () => this.#alone(request.operationId, request.act, { inTurn: true })).then(
            resolve,
            reject,
          );
      }
      return;
    }
    for (const one of all) {
      if (done.has(one)) one.resolve();
      // It may wait for whoever holds the operation: the lane does not.
      else this.#alone(one.request.operationId, one.request.act).then(one.resolve, one.reject);
    }
  }

  /**
   * @param alone locks the keys of their limits alone
   * @returns those whose operation nobody else holds; no more than these were done
   */
  async #inOne(all: readonly InLane<OnOperation>[], alone: boolean): Promise<Set<InLane<OnOperation>>> {
    const done = new Set<InLane<OnOperation>>();
    await inSharedTransaction(this.database, async (manager) => {
      const locked = await this.#kept.lockFree(
        manager,
        all.map(({ request }) => request.operationId),
      );
      const places = new SharedPlaces((wanted) => this.#places.count(manager, wanted, alone));
      return all.flatMap((one) => {
        const its = locked.get(one.request.operationId);
        if (its === undefined || locksItsInstance(its)) return [];
        done.add(one);
        return [(own: EntityManager) => this.#under(own, its, (wanted) => places.of(wanted), one.request.act)];
      });
    });
    return done;
  }

  /** @param inTurn whether it has its turn already */
  async #alone<T>(operationId: string, work: Work<T>, { skipLocked = false, inTurn = false } = {}): Promise<T | undefined> {
    try {
      return await this.#transact(operationId, work, { skipLocked, alone: false });
    } catch (error) {
      if (!(error instanceof PlacesContended)) throw error;
      const again = () => this.#transact(operationId, work, { skipLocked, alone: true });
      return inTurn ? again() : this.#inTurn(operationId, again);
    }
  }

  /** @throws TransientError `database.away` where its turn does not come in time */
  async #inTurn<T>(operationId: string, work: () => Promise<T>): Promise<T> {
    const waiting = new AbortController();
    const late = new TransientError(DATABASE_AWAY, 'too many claims near a limit wait for PostgreSQL');
    const timer = setTimeout(() => waiting.abort(late), APART_WITHIN);
    try {
      return await this.#apart.run(operationId, work, waiting.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  #transact<T>(operationId: string, work: Work<T>, options: { skipLocked: boolean; alone: boolean }): Promise<T | undefined> {
    const underLock = async (manager: EntityManager): Promise<T | undefined> => {
      const locked = await this.#kept.lock(manager, operationId, options);
      if (locked === undefined) return undefined;
      const count: CountPlaces = (wanted) => this.#places.count(manager, wanted, options.alone);
      return this.#under(manager, locked, count, work);
    };
    return inTransaction(this.database, underLock, { remembers: true });
  }

  async #under<T>(manager: EntityManager, locked: LockedOperation, count: CountPlaces, work: Work<T>): Promise<T> {
    const tx = new PgTransaction(manager, this.vault, locked, count);
    const answer = await work(tx);
    await tx.flush();
    return answer;
  }

  isCrowded(key: string): boolean {
    return this.#places.isNearlyFull(key);
  }

  extend(claim: HeldClaim, lease: Duration): Promise<boolean> {
    return this.#extensions.ask(claim, lease);
  }

  async look(limit: number): Promise<JournalLook> {
    const rows = await rowsOf<LookRow>(this.database.manager, LOOK, [limit]);
    const times = rows.flatMap(({ operation_id: operationId, id: stepId, kind, at, rung_at: rungAt }) =>
      operationId === null || stepId === null || kind === 'due' ? [] : [{ operationId, stepId, kind, at, rungAt }],
    );
    const due = rows.filter(({ kind }) => kind === 'due').sort((one, other) => Number(one.place) - Number(other.place));
    return { now: rows[0]?.now ?? new Date(), times, due: due.flatMap(({ operation_id: id }) => id ?? []) };
  }

  steady(): number {
    return performance.now();
  }

  async waiting(vacancies: readonly Vacancy[]): Promise<WakeUp[]> {
    await this.#places.settled(vacancies.filter(({ refused }) => refused === true).map(({ key }) => key));
    const found = await Promise.all(vacancies.map((vacancy) => this.#looks.ask(vacancy)));
    return found.flat();
  }

  /** For each, who is to be woken; of a key that several ask for, the first is told. */
  async #whoWaits(vacancies: readonly Vacancy[]): Promise<WakeUp[][]> {
    const asked = new Map<string, Vacancy>();
    for (const vacancy of vacancies) {
      const other = asked.get(vacancy.key);
      if (other === undefined || other.most < vacancy.most) asked.set(vacancy.key, vacancy);
    }
    const all = [...asked.values()];
    const columns = [all.map(({ key }) => key), all.map(({ limit }) => limit), all.map(({ most }) => most)];
    const rows = await runPreparedAlone<WaitingRow>(this.database, WAITING, columns);
    const woken = new Map(all.map(({ key }) => [key, [] as WakeUp[]]));
    for (const { key, has_place: hasPlace, operation_id: operationId, id: stepId, epoch, service } of rows)
      if (hasPlace) woken.get(key)?.push({ operationId, stepId, epoch, service });
    return vacancies.map(({ key }) => woken.get(key)?.splice(0) ?? []);
  }

  async limitUse(): Promise<LimitUse[]> {
    return rowsOf<LimitUse>(this.database.manager, LIMIT_USE);
  }

  async withReadySteps(): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(
      this.database.manager,
      `SELECT DISTINCT operation_id AS id FROM lcm.step WHERE state = 'ready'`,
    );
    return rows.map(({ id }) => id);
  }
}

/** What is asked of one operation; `act` sets aside what came of it. */
interface OnOperation {
  operationId: string;
  act: Work<void>;
}

const isOfAnother = ({ operationId }: OnOperation, others: readonly OnOperation[]): boolean =>
  others.every((other) => other.operationId !== operationId);

/** Internal operations look at the instance's row under its lock, beside the operation that it may have: a lock keeps nobody out of its own transaction. */
const locksItsInstance = ({ operation: { kind } }: LockedOperation): boolean =>
  (INTERNAL_KINDS as readonly string[]).includes(kind);

const isAway = (error: unknown): boolean => error instanceof TransientError && error.code === DATABASE_AWAY;

/** PostgreSQL's `lock_not_available`: who shares a transaction waits for no lock for long, and who has one of its own waits as long as it takes. */
const NO_LOCK = '55P03';

/** `in_failed_sql_transaction`: an inline step took the error of an earlier statement, perhaps {@link NO_LOCK}, for its own. Alone it is told what it is. */
const FAILED_BEFORE = '25P02';

/** Whether what was done together, by however few, is done alone instead. */
const isOfSharing = (error: unknown): boolean =>
  error instanceof PlacesContended || [NO_LOCK, FAILED_BEFORE].includes((error as { code?: string }).code ?? '');

class PgTransaction implements JournalTransaction {
  readonly operation: OperationRecord;
  readonly steps: readonly StepRecord[];
  readonly now: Date;
  readonly #before: string;
  readonly #payloads: PgPayloads;

  constructor(
    readonly handle: EntityManager,
    vault: Vault,
    { operation, steps, now }: LockedOperation,
    private readonly countPlaces: CountPlaces,
  ) {
    this.operation = operation;
    this.steps = steps;
    this.now = now;
    this.#before = JSON.stringify(operation);
    this.#payloads = new PgPayloads(handle, vault, operation.id);
  }

  readPayload(stepId: string, kind: PayloadKind): Promise<Json | undefined> {
    return this.#payloads.read(stepId, kind);
  }

  writePayload(stepId: string, kind: PayloadKind, value: Json): Promise<void> {
    this.#payloads.write(stepId, kind, value);
    return Promise.resolve();
  }

  dropPayloads(kinds: readonly PayloadKind[]): Promise<void> {
    this.#payloads.drop(kinds);
    return Promise.resolve();
  }

  /** Hands what the payloads have held back to the transaction's end. */
  flush(): Promise<void> {
    return this.#payloads.flush();
  }

  countRunning(wanted: readonly WantedPlaces[]): Promise<ReadonlyMap<string, number>> {
    return this.countPlaces(wanted);
  }

  async quarantinedIn(process: string): Promise<readonly number[]> {
    if (isShared(this.handle)) throw new PlacesContended();
    await runPrepared(this.handle, LOCK_PROCESS, [`suspects ${process}`]);
    const rows = await runPrepared<{ losses: number }>(this.handle, QUARANTINED_IN, [process]);
    return rows.map(({ losses }) => losses);
  }

  async save({ inserted, changed }: { inserted: readonly StepRecord[]; changed: readonly StepRecord[] }): Promise<void> {
    if (JSON.stringify(this.operation) !== this.#before) await this.#hold(UPDATE_OPERATION, [this.operation]);
    if (inserted.length > 0) await this.#hold(INSERT_STEPS, inserted);
    if (changed.length > 0) await this.#hold(UPDATE_STEPS, changed);
  }

  #hold(statement: Statement, records: readonly object[]): Promise<void> {
    // As they are now: who saves may go on with them.
    const rows = records.map(rowOf);
    return holdWrite(this.handle, statement.name, () => rowsAsJson(statement, () => rows));
  }
}
