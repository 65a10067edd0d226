import { randomBytes, randomUUID } from 'node:crypto';
import { testNats, testPostgres, type TestDatabase, type TestNats } from '@windlass/embedded/testing';
import { Secret, seconds } from '@windlass/foundation';
import {
  claimContract,
  connectNats,
  CoordinatorServer,
  CoreKeys,
  enrolContract,
  EnrolmentServer,
  renewContract,
  RequestServer,
  resultContract,
  type NatsLink,
} from '@windlass/messaging';
import { connectDatabase, migrate, PgEnrolments, PgJournal, Vault } from '@windlass/persistence';
import {
  compilePlan,
  Coordinator,
  defaultPolicy,
  SagaMachine,
  sequence,
  type ClaimRequest,
  type OperationOwner,
  type StepNode,
} from '@windlass/saga';
import { unbounded } from '@windlass/saga/testing';
import { natsUsersOf, SERVICES } from '@windlass/windlass';
import type { DataSource } from 'typeorm';
import { MemoryLog } from '../../support/memory-log.js';

/** The secret in the input of k8s-mgmt's step, which no other service may read. */
export const SECRET_INPUT = 'hunter2-of-the-master-node';

const passwords = Object.fromEntries(SERVICES.map(({ name }) => [name, `pw-${name}`]));

/** An owner that does nothing: no operation here is an LCM operation. */
const nobody: OperationOwner = {
  ...unbounded,
  plan: () => Promise.reject(new Error('every operation here has its plan')),
  source: () => Promise.resolve(undefined),
  runInline: () => Promise.resolve(undefined),
  moved: () => Promise.resolve(),
};

/** Real PostgreSQL, real NATS with the real users and permissions, and a coordinator that can be restarted. */
export class EnrolmentBench {
  readonly masterKeys = [randomBytes(32)];
  /** The log of the coordinator. */
  readonly log = new MemoryLog();
  /** Every message that went over NATS. */
  readonly heard: string[] = [];
  readonly #links: NatsLink[] = [];
  #serving: RequestServer | undefined;

  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: DataSource,
    private readonly nats: TestNats,
  ) {}

  static async start(): Promise<EnrolmentBench> {
    const postgres = await testPostgres();
    const database = await connectDatabase({ url: postgres.url, applicationName: 'test', poolSize: 6 });
    await migrate(database);
    const bench = new EnrolmentBench(postgres, database, await testNats(natsUsersOf(passwords)));
    await bench.#eavesdrop();
    await bench.startCoordinator();
    return bench;
  }

  async close(): Promise<void> {
    await this.stopCoordinator();
    await Promise.all(this.#links.map((link) => link.close()));
    await this.nats.close();
    await this.database.destroy();
    await this.postgres.close();
  }

  get enrolments(): PgEnrolments {
    return new PgEnrolments(this.database);
  }

  /** A connection as a service's NATS user. */
  async linkOf(user: string, password = passwords[user] ?? ''): Promise<NatsLink> {
    const options = { url: this.nats.url, user, password: new Secret(password), name: user, log: this.log };
    const link = await connectNats({ ...options, within: seconds(30) });
    this.#links.push(link);
    return link;
  }

  async startCoordinator(): Promise<void> {
    const journal = new PgJournal(this.database, new Vault(this.masterKeys));
    const coordinator = new Coordinator({
      journal,
      wakeUpSender: { notify: () => Promise.resolve() },
      owner: nobody,
      policy: { ...defaultPolicy, lease: seconds(60) },
    });
    const server = new CoordinatorServer(coordinator, this.masterKeys, this.enrolments, this.log);
    const enrolment = new EnrolmentServer(this.enrolments, new CoreKeys(this.masterKeys), this.log);
    const link = await this.linkOf('saga-coordinator');
    this.#serving = new RequestServer(link, 'saga-coordinator', this.log);
    this.#serving.serve(claimContract, (message) => server.claim(message));
    this.#serving.serve(renewContract, (message) => server.renew(message));
    this.#serving.serve(resultContract, (message) => server.result(message));
    this.#serving.serve(enrolContract, (message) => enrolment.enrol(message));
    await link.flushed();
  }

  async stopCoordinator(): Promise<void> {
    await this.#serving?.drain();
  }

  /** Makes a running operation whose first step waits for k8s-mgmt, with a secret in its input. Returns the claim of the step. */
  async readyStep(): Promise<ClaimRequest> {
    const id = randomUUID();
    await this.database.query(
      `INSERT INTO lcm.operation (id, kind, tenant, status, journal_version) VALUES ($1, 'TEST', 't', 'running', 1)`,
      [id],
    );
    const step = (name: string): StepNode => ({
      kind: 'step',
      id: name,
      action: 'act',
      version: 1,
      service: 'k8s-mgmt',
      input: { password: SECRET_INPUT },
    });
    const plan = compilePlan({ root: sequence(step('first'), step('second')) });
    await new PgJournal(this.database, new Vault(this.masterKeys)).transact(id, async (tx) => {
      const machine = new SagaMachine({ ...tx.operation, status: 'accepted' }, [], tx.now, defaultPolicy);
      machine.begin(plan);
      for (const each of plan.steps) await tx.writePayload(each.id, 'input', each.input);
      await tx.save({ inserted: machine.effects.inserted, changed: [] });
    });
    return { operationId: id, stepId: 'first', epoch: 0, service: 'k8s-mgmt', worker: 'w1', actions: ['act@1'] };
  }

  async stepOf({ operationId }: ClaimRequest): Promise<{ state: string; owner: string | null }> {
    const [row] = await this.database.query<{ state: string; owner: string | null }[]>(
      `SELECT state, owner FROM lcm.step WHERE operation_id = $1 AND id = 'first'`,
      [operationId],
    );
    if (row === undefined) throw new Error('there is no such step');
    return row;
  }

  /** Whether the claim has said that it only waits. */
  async waitsOf({ operationId }: ClaimRequest): Promise<boolean> {
    const [row] = await this.database.query<{ waits: boolean }[]>(
      `SELECT waiting_epoch IS NOT DISTINCT FROM epoch AS waits FROM lcm.step WHERE operation_id = $1 AND id = 'first'`,
      [operationId],
    );
    if (row === undefined) throw new Error('there is no such step');
    return row.waits;
  }

  /** The last progress line of the worker. */
  async progressOf({ operationId }: ClaimRequest): Promise<string | null> {
    const [row] = await this.database.query<{ progress: string | null }[]>(
      `SELECT progress FROM lcm.step WHERE operation_id = $1 AND id = 'first'`,
      [operationId],
    );
    if (row === undefined) throw new Error('there is no such step');
    return row.progress;
  }

  async #eavesdrop(): Promise<void> {
    const link = await this.linkOf(this.nats.user, this.nats.password);
    link.connection.subscribe('>', {
      callback: (_error, { subject, data }) => void this.heard.push(`${subject} ${Buffer.from(data).toString('latin1')}`),
    });
    await link.flushed();
  }
}
