import { randomBytes, randomUUID } from 'node:crypto';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { startTestServers, type TestServers } from '@windlass/embedded/testing';
import { millis, Secret, seconds, TransientError, waitUntil, type Json } from '@windlass/foundation';
import { BEGIN_STEP, COORDINATOR_SERVICE } from '@windlass/lifecycle';
import {
  connectNats,
  dataOf,
  eventStream,
  KeyPair,
  lifecycleEvent,
  openEnvelope,
  subjects,
  type NatsLink,
} from '@windlass/messaging';
import { connectDatabase, migrate, PgJournal, PgLcmStore, rowsOf, Vault } from '@windlass/persistence';
import { defaultPolicy, type EnginePolicy, type OperationStatus, type StepRecord } from '@windlass/saga';
import type { DataSource, EntityManager } from 'typeorm';
import { newToken } from '../../support/enrolment.js';
import { quiet } from '../../support/system.js';
import { CrashPoints } from '../support/crash-points.js';
import { CoordinatorProcess, WorkerProcess, type Ground, type CrashableProcess } from './processes.js';
import { MAKER, makeIn, SmallWorld } from './small-plan.js';

/**
 * A lease lasts longer than a busy machine keeps this process waiting: where all leases are lost, nothing goes on. A lease that is lost because the machine
 * was slow must not count as poison: this suite is about crash points.
 */
const POLICY: EnginePolicy = { ...defaultPolicy, lease: seconds(2), maxLosses: 50 };
/** The limit for a run, which takes four seconds at most on a quiet machine: an unanswered report is repeated after three. */
const WITHIN = seconds(60);
/** The limit for the last report or mark of an operation that rests. */
const LAST_WORDS = seconds(5);

const UNSENT = 'SELECT count(*)::int AS unsent FROM lcm.outbox WHERE NOT sent';
const RESTS: readonly OperationStatus[] = ['completed', 'rolled-back', 'abandoned', 'suspended'];

/** The end of an operation, in a form in which two runs can be compared. */
export interface DurablePicture {
  operation: unknown;
  steps: unknown[];
  payloads: unknown;
  effects: unknown;
  /** The events in the stream, in its order. */
  told: string[];
}

/** A database, a NATS, a coordinator and a worker, which run one operation at a time. */
export class Lane {
  readonly world = new SmallWorld();
  readonly troubles: string[] = [];
  points = new CrashPoints(undefined);
  #operation = '';
  #coordinator!: CoordinatorProcess;
  #worker!: WorkerProcess;
  /** A successor that is being started. */
  #restart: Promise<void> = Promise.resolve();
  readonly #burials: Promise<void>[] = [];
  readonly #ground: Ground;
  readonly #vault: Vault;
  readonly #keys = KeyPair.generate();
  #eventsSeen = 0;

  private constructor(
    private readonly servers: TestServers,
    private readonly database: DataSource,
    private readonly link: NatsLink,
    private readonly streams: JetStreamManager,
    private readonly masterKeys: Buffer[],
  ) {
    this.#vault = new Vault(masterKeys);
    this.#ground = {
      postgresUrl: servers.postgres.url,
      nats: servers.nats,
      masterKeys,
      policy: POLICY,
      points: (operationId) => (operationId === this.#operation ? this.points : undefined),
      trouble: (text) => void this.troubles.push(text),
      died: (process) => this.#replace(process),
    };
  }

  static async start(): Promise<Lane> {
    const servers = await startTestServers();
    const { url, user, password } = servers.nats;
    const [database, link] = await Promise.all([
      connectDatabase({ url: servers.postgres.url, applicationName: 'test', poolSize: 2 }),
      connectNats({ url, user, password: new Secret(password), name: 'test', log: quiet }),
    ]);
    await migrate(database);
    const streams = await jetstreamManager(link.connection, { checkAPI: false });
    const lane = new Lane(servers, database, link, streams, [randomBytes(32)]);
    lane.#coordinator = await CoordinatorProcess.start(lane.#ground);
    const { text } = await newToken(database, lane.masterKeys, { service: MAKER });
    lane.#worker = await WorkerProcess.start(lane.#ground, makeIn(lane.world), lane.#keys, text);
    return lane;
  }

  async close(): Promise<void> {
    await this.#restart;
    await Promise.all([...this.#burials, this.#worker.discard(), this.#coordinator.discard()]);
    await this.link.close();
    await this.database.destroy();
    await this.servers.close();
  }

  /** Accepts an operation as lcm-api does: its row and its wake-up in one transaction. No strike comes before `points` is set. */
  async accept({ refusesLast = false } = {}): Promise<void> {
    await this.#restart;
    this.points = new CrashPoints(undefined);
    this.#operation = randomUUID();
    if (refusesLast) this.world.refuses.add(this.#operation);
    const store = new PgLcmStore(this.database, this.#vault);
    await store.transact(async (handle) => {
      await (handle as EntityManager).query(
        `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'SMALL', 'test', 'accepted', 1)`,
        [this.#operation],
      );
      const message = { operationId: this.#operation, stepId: BEGIN_STEP, epoch: 0 };
      await store.emit(handle, [{ subject: subjects.step(COORDINATOR_SERVICE), message }]);
    });
  }

  /** Lets the refused step succeed from now on. */
  relent(): void {
    this.world.refuses.delete(this.#operation);
  }

  /** Asks for a task as a person. A task whose answer is lost is asked for again, unless it was carried out. */
  async ask(task: 'retry' | 'rollback'): Promise<void> {
    const before = await this.#status();
    try {
      await this.#coordinator.tasks[task](this.#operation);
    } catch (error) {
      if (this.points.struck === undefined) throw error;
      await this.#restart;
      if ((await this.#status()) === before) await this.ask(task);
    }
  }

  /** Waits until the operation is final or waits for a person, all its events are published, and no report is repeated any more. Returns its status. */
  async rest(): Promise<OperationStatus> {
    const status = await waitUntil(
      async (seen) => {
        const now = await this.#status();
        seen(`${now}; ${this.points.struck ?? 'not struck yet'}; ${JSON.stringify(await this.#summary())}`);
        return RESTS.includes(now) ? now : undefined;
      },
      { for: 'the operation to come to rest', within: WITHIN, every: millis(20) },
    );
    await waitUntil(
      async (seen) => {
        const [row] = await rowsOf<{ unsent: number }>(this.database.manager, UNSENT);
        seen(`${row?.unsent ?? 0} unsent rows, the worker busy with ${this.#worker.busyWith} steps`);
        return (row?.unsent === 0 && this.#worker.busyWith === 0) || undefined;
      },
      { for: 'the outbox to be published and every report to be answered', within: WITHIN, every: millis(20) },
    );
    await this.#restart;
    return status;
  }

  /** Waits until all these points were passed, or one was struck; false when everything rests before. */
  async passes(points: readonly string[]): Promise<boolean> {
    const look = () => {
      const { struck, passed } = this.points;
      return Promise.resolve(struck !== undefined || points.every((point) => passed.includes(point)) || undefined);
    };
    const waited = waitUntil(look, { for: 'the last points', within: LAST_WORDS, every: millis(10) });
    return waited.catch((error: unknown) => {
      if (error instanceof TransientError) return false;
      throw error;
    });
  }

  async picture(): Promise<DurablePicture> {
    const [operation] = await rowsOf<{ failure: { code: string } | null }>(
      this.database.manager,
      'SELECT status, stops_into, milestone, cancel, failure FROM lcm.operation WHERE id = $1',
      [this.#operation],
    );
    const journal = new PgJournal(this.database, this.#vault);
    const [steps, payloads] = (await journal.transact(this.#operation, async (tx) => {
      const kinds = ['input', 'resolved', 'output'] as const;
      const read = tx.steps.flatMap(({ id }) =>
        kinds.map(async (kind): Promise<[string, Json]> => [`${id} ${kind}`, (await tx.readPayload(id, kind)) ?? null]),
      );
      return [tx.steps.map(compared), Object.fromEntries(await Promise.all(read))];
    })) ?? [[], {}];
    return {
      operation: { ...operation, failure: operation?.failure?.code ?? null },
      steps,
      payloads,
      effects: this.world.of(this.#operation),
      told: await this.#told(),
    };
  }

  async #status(): Promise<OperationStatus> {
    const sql = 'SELECT status FROM lcm.operation WHERE id = $1';
    const [row] = await rowsOf<{ status: OperationStatus }>(this.database.manager, sql, [this.#operation]);
    return row!.status;
  }

  #summary(): Promise<unknown> {
    const sql = 'SELECT id, phase, state, epoch, losses, error FROM lcm.step WHERE operation_id = $1 ORDER BY seq';
    return rowsOf(this.database.manager, sql, [this.#operation]);
  }

  /** The stream's events of this operation: earlier events are another operation's. */
  async #told(): Promise<string[]> {
    const { state } = await this.streams.streams.info(eventStream.name);
    const told: string[] = [];
    for (; this.#eventsSeen < state.last_seq; this.#eventsSeen++) {
      const message = await this.streams.streams.getMessage(eventStream.name, { seq: this.#eventsSeen + 1 });
      if (message === null) continue;
      const { operationId, told: text } = dataOf(openEnvelope(message.data), lifecycleEvent.name, lifecycleEvent.data);
      if (operationId === this.#operation) told.push(String(text));
    }
    return told;
  }

  #replace(dead: CrashableProcess): void {
    this.#restart = (async () => {
      if (dead === this.#coordinator) this.#coordinator = await CoordinatorProcess.start(this.#ground);
      else this.#worker = await WorkerProcess.start(this.#ground, makeIn(this.world), this.#keys);
    })();
    this.#burials.push(dead.discard());
  }
}

/** A step's row without its times and its epoch, which each lost lease raises. */
const compared = (step: StepRecord): unknown => ({
  id: step.id,
  state: `${step.phase} ${step.state}`,
  attempt: step.attempt,
  losses: step.losses,
  everClaimed: step.everClaimed,
  open: [step.owner, step.leaseUntil, step.nextAttemptAt, step.blockedOn].filter((value) => value !== null),
  resumed: step.resumed,
  recheck: step.recheck,
  error: step.error?.code ?? null,
  /** Whether the kept result is the last claim's. */
  resultOfLastClaim: step.resultEpoch === null ? 'none' : step.resultEpoch === step.epoch,
});
