import { millis, Secret, seconds, TransientError } from '@windlass/foundation';
import {
  connectNats,
  dataOf,
  wakeUpEvent,
  eventStream,
  NatsCoordinatorClient,
  NatsWakeUpSender,
  openEnvelope,
  PullConsumer,
  RequestClient,
  stepConsumer,
  stepStream,
  StreamPublisher,
  subjects,
  type Contract,
  type KeyPair,
  type MessagingLog,
  type NatsLink,
  type RepeatOptions,
} from '@windlass/messaging';
import { connectDatabase, PgJournal, PgLcmStore, Vault } from '@windlass/persistence';
import {
  Coordinator,
  StepWorker,
  type BoundAction,
  type CoordinatorClient,
  type EnginePolicy,
  type Journal,
  type StepRun,
} from '@windlass/saga';
import { Crash } from '@windlass/saga/testing';
import { startCoordinator } from '@windlass/saga-coordinator';
import { startEnrolment } from '../../support/enrolment.js';
import { TcpProxy } from '../../hazards/support/tcp-proxy.js';
import { Crashable, type CrashPoints } from '../support/crash-points.js';
import { MAKER, smallOwner } from './small-plan.js';
import { crashingRelay, crashingJournal, type Reached } from './crashing.js';

/** The servers and the run of the suite's processes. */
export interface Ground {
  postgresUrl: string;
  nats: { url: string; user: string; password: string };
  masterKeys: Buffer[];
  policy: EnginePolicy;
  /** The points of the present run; undefined for an operation of another run. */
  points(operationId: string): CrashPoints | undefined;
  /** Takes the errors of a living process. */
  trouble(text: string): void;
  died(process: CrashableProcess): void;
}

/** A process whose connections to its servers are cut at its death: what it does afterwards has no effect. */
export abstract class CrashableProcess extends Crashable {
  readonly roads: TcpProxy[] = [];

  protected constructor(
    name: string,
    protected readonly ground: Ground,
  ) {
    super(name);
  }

  #burial: Promise<void> | undefined;
  /** Frees what the dead or stopped process still holds. */
  discard(): Promise<void> {
    this.alive = false;
    this.#burial ??= this.stop()
      .catch((error: unknown) => this.ground.trouble(`${this.name} can't be buried: ${String(error)}`))
      .then(() => Promise.all(this.roads.map((road) => road.close())))
      .then(() => undefined);
    return this.#burial;
  }

  /** Stops the parts of the process, which after its death reach no server. */
  protected stop: () => Promise<void> = () => Promise.resolve();

  /** @throws Crash when the process dies here, or is dead already */
  readonly reachedIn = (operationId: string): Reached | undefined => {
    const points = this.ground.points(operationId);
    if (points === undefined) return undefined;
    return (point) => {
      try {
        points.reached(point, this);
      } finally {
        if (!this.alive) this.#die();
      }
    };
  };

  /** Opens a proxy to a server, which is cut at the process's death. Returns the proxy's URL. */
  protected async roadTo(url: string): Promise<string> {
    const there = new URL(url);
    const road = await TcpProxy.to(Number(there.port));
    this.roads.push(road);
    there.port = String(road.port);
    return there.href;
  }

  protected async link(): Promise<NatsLink> {
    const { url, user, password } = this.ground.nats;
    const road = await this.roadTo(url);
    return connectNats({ url: road, user, password: new Secret(password), name: this.name, log: this.log, within: seconds(20) });
  }

  protected readonly log: MessagingLog = {
    info: () => undefined,
    warn: () => undefined,
    error: (message, fields) => {
      if (this.alive) this.ground.trouble(`${this.name}: ${message} ${JSON.stringify(fields)}`);
    },
  };

  #dead = false;
  #die(): void {
    if (this.#dead) return;
    this.#dead = true;
    for (const road of this.roads) void road.close();
    this.ground.died(this);
  }
}

/** The real coordinator, with crash points at its commits and at its outbox. */
export class CoordinatorProcess extends CrashableProcess {
  /** Takes lcm-api's tasks: retry, roll back. Here it dies with the coordinator. */
  tasks!: Coordinator;

  static async start(ground: Ground): Promise<CoordinatorProcess> {
    const process = new CoordinatorProcess('the coordinator', ground);
    await process.#start();
    return process;
  }

  async #start(): Promise<void> {
    const { masterKeys, policy, postgresUrl, nats } = this.ground;
    const databaseUrl = await this.roadTo(postgresUrl);
    const [link, database] = await Promise.all([
      this.link(),
      connectDatabase({ url: databaseUrl, applicationName: 'struck', poolSize: 6 }),
    ]);
    const vault = new Vault(masterKeys);
    const owner = smallOwner(new PgLcmStore(database, vault));
    const aroundJournal = (journal: Journal) => crashingJournal(journal, this.reachedIn);
    const wakeUpSender = new NatsWakeUpSender(new StreamPublisher(link, [stepStream, eventStream], this.log), this.log);
    this.tasks = new Coordinator({ journal: aroundJournal(new PgJournal(database, vault)), wakeUpSender, owner, policy });
    crashingRelay(database, this.reachedIn);
    const running = await startCoordinator({
      link,
      database,
      databaseUrl,
      masterKeys,
      policy,
      owner,
      aroundJournal,
      replica: 'struck',
      user: nats.user,
      log: this.log,
      sweepEvery: millis(100),
    });
    this.stop = async () => {
      await running.stop();
      await link.close();
      await database.destroy();
    };
  }
}

/** Never settles, like the work of a dead process. */
const never = new Promise<never>(() => undefined);

/** Sends twice each message that needs an answer: the reports. */
class RepeatingClient extends RequestClient {
  constructor(
    link: NatsLink,
    private readonly repeat: (say: () => Promise<unknown>) => void,
  ) {
    super(link);
  }

  override requestUntilAnswered<Request, Reply>(
    contract: Contract<Request, Reply>,
    data: Request,
    options: RepeatOptions = {},
  ): Promise<Reply> {
    this.repeat(() => super.requestUntilAnswered(contract, data, options));
    return super.requestUntilAnswered(contract, data, options);
  }
}

/** A worker of the small plan's steps, with crash points around its work. */
export class WorkerProcess extends CrashableProcess {
  readonly #phases = new Map<string, string>();
  #worker: StepWorker | undefined;
  #repeats = 0;

  /** @param token given where the worker's key is not enrolled yet */
  static async start(ground: Ground, action: BoundAction, keys: KeyPair, token?: string): Promise<WorkerProcess> {
    const process = new WorkerProcess('the worker', ground);
    await process.#start(action, keys, token);
    return process;
  }

  /** The number of steps that the worker holds, with those whose report has no answer yet. */
  get busyWith(): number {
    return (this.#worker?.runningCount ?? 0) + this.#repeats;
  }

  /** Sends a report once more, as after a lost answer. */
  readonly #repeat = (say: () => Promise<unknown>): void => {
    this.#repeats += 1;
    say()
      .catch((error: unknown) => {
        if (!(error instanceof TransientError)) this.log.error(`a repeated report was refused: ${String(error)}`);
      })
      .finally(() => (this.#repeats -= 1));
  };

  async #start(action: BoundAction, keys: KeyPair, token: string | undefined): Promise<void> {
    const link = await this.link();
    const options = { link, service: MAKER, worker: 'struck', log: this.log, keys, ...(token === undefined ? {} : { token }) };
    const enrolment = startEnrolment(options);
    const worker = (this.#worker = new StepWorker({
      service: MAKER,
      worker: 'struck',
      actions: [this.#crashableAction(action)],
      coordinator: this.#crashableClient(new NatsCoordinatorClient(new RepeatingClient(link, this.#repeat), enrolment)),
      onTrouble: ({ stepId }, error) => this.log.error(`${stepId} ended in trouble: ${error.message}`),
      // The work of a dead process never ends: it is abandoned as soon as its lease is lost.
      endWithin: millis(1),
    }));
    const consumer = new PullConsumer(
      link,
      {
        stream: stepStream,
        durable: stepConsumer(MAKER),
        subject: subjects.step(MAKER),
        workers: 16,
        admitted: enrolment.admitted,
      },
      async (message) => {
        const wakeUp = dataOf(openEnvelope(message.data), wakeUpEvent.name, wakeUpEvent.data);
        const run = await worker.answer({ ...wakeUp, service: MAKER });
        message.ack();
        await run?.ended;
      },
      this.log,
      this.ground.nats.user,
    );
    consumer.start();
    this.stop = async () => {
      await consumer.stopTaking();
      await enrolment.stop();
      await link.close();
    };
  }

  /** A client whose requests have no answer once the process is dead. */
  #crashableClient(client: CoordinatorClient): CoordinatorClient {
    return {
      claim: async (request, signal) => {
        const reply = await client.claim(request, signal);
        if (reply.granted) this.#phases.set(request.stepId, reply.claim.phase);
        return reply;
      },
      renew: (request, signal) => client.renew(request, signal),
      result: async (request, signal) => {
        if (!this.alive) return never;
        const reply = await client.result(request, signal);
        const { operationId, stepId } = request;
        if (reply.next !== undefined) this.#phases.set(reply.next.stepId, reply.next.phase);
        await this.#passes(operationId, `after the report of ${stepId} ${this.#phases.get(stepId) ?? ''}`);
        return reply;
      },
    };
  }

  /** Passes a crash point. Resolves unless the process dies here, or is dead already. */
  #passes(operationId: string, point: string): Promise<void> {
    if (!this.alive) return never;
    try {
      this.reachedIn(operationId)?.(point);
      return Promise.resolve();
    } catch (error) {
      if (error instanceof Crash) return never;
      throw error;
    }
  }

  #crashableAction({ key, retry, within, check, apply, undo }: BoundAction): BoundAction {
    const around = async <T>(run: StepRun, work: string, act: (run: StepRun) => Promise<T>): Promise<T> => {
      const { operationId, stepId } = run;
      await this.#passes(operationId, `before the ${work} of ${stepId}`);
      const done = await act(this.#ofTheLiving(run));
      await this.#passes(operationId, `after the ${work} of ${stepId}`);
      return done;
    };
    return {
      key,
      retry,
      within,
      check: (run) => around(run, 'check', (living) => check!(living)),
      apply: (run) => around(run, 'effect', apply),
      undo: (run) => around(run, 'undoing', (living) => undo!(living)),
    };
  }

  /** A run in which a dead process makes no effect: each effect begins by asking for the lease. */
  #ofTheLiving(run: StepRun): StepRun {
    return {
      ...run,
      assertLease: () => {
        if (!this.alive) throw new Crash('the worker is dead');
        run.assertLease();
      },
    };
  }
}
