import { InvariantError, minutes, seconds, type JsonObject } from '@windlass/foundation';
import { OFFERED } from '@windlass/driver-kit';
import { FakeVims, OfferedStandIns } from '@windlass/driver-kit/testing';
import { FakeMasters } from '@windlass/k8s-mgmt/testing';
import type { EmulatorOptions, OpenStackEmulator } from '@windlass/lab';
import {
  BEGIN_STEP,
  COORDINATOR_SERVICE,
  LifecycleOwner,
  OPERATIONS,
  PROCESSING,
  type InternalKind,
  type LcmOperation,
  type NewInternal,
  type OpOccRecord,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import { instanceRecord, MemoryLcmStore, opOccRecord, TENANT } from '@windlass/lifecycle/testing';
import {
  Coordinator,
  defaultPolicy,
  type BoundAction,
  type CoordinatorClient,
  type WakeUp,
  type EnginePolicy,
  type OperationRecord,
} from '@windlass/saga';
import type { NfvoSettings } from '@windlass/saga-coordinator';
import { Crash, MemoryJournal } from '@windlass/saga/testing';
import { initialState } from '@windlass/sol003';
import { CrashPoints, Crashable } from './crash-points.js';
import type { OtherMachines, Sample } from './samples.js';
import { announced, serviceActions, startVim, vimOf } from './services.js';
import { SimulatedCluster, simulatedClusterVim } from './simulated-cluster.js';
import { SimulatedSessions } from './simulated-vim.js';
import { SimulatedWorker } from './simulated-worker.js';

export const INSTANCE = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';

/** Leases are far longer than any run, so that only the virtual clock ends them. */
const POLICY: EnginePolicy = { ...defaultPolicy, lease: minutes(5), dispatchWithin: minutes(60) };
/** How far the clock advances when nothing else moves. */
const TICK = seconds(20);
/** The most turns of one operation: the longest takes a few hundred. */
const MAX_TURNS = 4_000;
/** The most internal sagas, each retry counted, that one settling may play. */
const MOST_ROUNDS = 40;

/**
 * All of Windlass in one process, on a clock that advances when nothing else moves: the real engine, owner, workers, drivers, actions and
 * OpenStack client; journal, store and hosts in memory; and the lab's OpenStack.
 */
export class World {
  readonly journal = new MemoryJournal();
  readonly store = new MemoryLcmStore();
  readonly hosts: FakeMasters;
  readonly vims = new FakeVims(() => INSTANCE);
  /** The cluster for VNFs of containers. */
  readonly cluster = new SimulatedCluster((request) => this.#atWork(`after-${request}`));
  readonly offered = new OfferedStandIns(OFFERED, { 'register-persistent-volumes': () => ({ names: [] }) });
  readonly coordinator: Coordinator;
  /** The sample's machines beside the nodes. */
  readonly otherMachines: OtherMachines | undefined;
  /** Errors that were logged: each fails the story. */
  readonly troubles: string[] = [];
  points = new CrashPoints(undefined);
  /** Whether the workers die with the coordinator, and the wake-ups are lost. */
  allDie = false;
  wakeUps: WakeUp[] = [];
  #operations = 0;
  /** The last request to the coordinator. */
  #asked = 'nothing';
  #coordinator = new Crashable('the coordinator');
  /** The worker and its step: one step at a time. */
  #running: { crashable: Crashable; step: string } | undefined;
  readonly #workers = new Map<string, SimulatedWorker>();
  readonly #actions: ReadonlyMap<string, readonly BoundAction[]>;
  readonly #sessions: SimulatedSessions;

  private constructor(
    readonly emulator: OpenStackEmulator,
    readonly sample: Sample,
    hosts: FakeMasters,
    nfvo: NfvoSettings | undefined,
  ) {
    this.hosts = hosts;
    this.otherMachines = sample.machines?.(hosts);
    // In PostgreSQL, the same transaction writes these rows and the wake-up.
    this.store.onBegun = ({ id, kind, tenant }) => {
      this.journal.accept({ id, kind, tenant });
      this.wakeUps.push({ operationId: id, stepId: BEGIN_STEP, epoch: 0, service: COORDINATOR_SERVICE });
    };
    this.store.now = () => this.journal.now;
    this.store.keptSnapshotIn = (operationId) => this.vims.keptIn(operationId);
    this.journal.atCommit = (when) => this.points.reached(`${when}-commit of ${this.#asked}`, this.#coordinator);
    this.coordinator = new Coordinator({
      journal: this.journal,
      owner: new LifecycleOwner(this.store, { operations: OPERATIONS, nfvo, sharesImages: sample.sharesImages ?? false }),
      policy: POLICY,
      wakeUpSender: { notify: (wakeUps) => Promise.resolve(void this.wakeUps.push(...wakeUps)) },
    });
    this.#sessions = new SimulatedSessions(emulator, (request) => this.#atWork(`after-${request}`));
    const {
      store,
      hosts: { hosts: machines },
      vims,
    } = this;
    const { offered, cluster } = this;
    this.#actions = serviceActions({ store, sample, sessions: this.#sessions, cluster, machines, vims, offered, nfvo });
    for (const description of announced().map((driver) => driver.describe())) store.drivers.set(description.driver, description);
    this.#setUp();
  }

  /** @param nfvo the NFVO that grants; without it, grants are local */
  static async start(
    sample: Sample,
    nfvo?: NfvoSettings,
    emulatorOptions: Pick<EmulatorOptions, 'showHost'> = { showHost: sample.showHost ?? false },
  ): Promise<World> {
    const told: { world?: World } = {};
    const hosts = new FakeMasters({ atPoint: (point, job) => told.world?.atJob(point, job) });
    const emulator = await startVim(hosts, emulatorOptions);
    told.world = new World(emulator, sample, hosts, nfvo);
    return told.world;
  }

  async close(): Promise<void> {
    this.#sessions.close();
    await this.emulator.stop();
    if (this.emulator.brokenness.length > 0) throw new AggregateError(this.emulator.brokenness, 'the emulator broke');
  }

  /** Passes a crash point within a job. @throws Crash when the worker dies there */
  atJob(point: string, job: string): void {
    this.#atWork(`${point} of job ${job.replace(/-[a-z0-9]{6}$/, '')}`);
  }

  /** Accepts an operation as lcm-api does. Returns the operation's id. */
  accept(operation: LcmOperation, request: JsonObject): string {
    const id = `00000000-0000-4000-8000-${String(++this.#operations).padStart(12, '0')}`;
    const operationState = initialState(operation);
    this.store.accept(opOccRecord({ id, vnfInstanceId: INSTANCE, operation, operationState, request }, this.journal.now));
    this.journal.accept({ id, kind: operation, tenant: TENANT, milestone: operationState === PROCESSING ? PROCESSING : null });
    this.wakeUps.push({ operationId: id, stepId: BEGIN_STEP, epoch: 0, service: COORDINATOR_SERVICE });
    return id;
  }

  /** Begins an internal saga, as the product does. Returns the saga's id. */
  beginInternal<K extends InternalKind>(saga: NewInternal<K>): Promise<string> {
    return this.store.transact((handle) => this.store.beginInternal(handle, saga));
  }

  operation(id: string): OperationRecord {
    const found = this.journal.operations.get(id);
    if (found === undefined) throw new InvariantError(`there is no operation ${id}`);
    return found;
  }

  opOcc(id: string): OpOccRecord {
    const found = this.store.opOccs.get(id);
    if (found === undefined) throw new InvariantError(`there is no operation occurrence ${id}`);
    return found;
  }

  get instance(): VnfInstanceRecord {
    const found = this.store.instances.get(INSTANCE);
    if (found === undefined) throw new InvariantError('the instance is gone');
    return found;
  }

  /** Takes turns until the operation rests: it is final, or waits for a person. */
  async settle(id: string): Promise<void> {
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      if (['completed', 'rolled-back', 'abandoned', 'suspended'].includes(this.operation(id).status)) return;
      await this.turn();
    }
    const steps = this.journal.steps.get(id)?.map((step) => `${step.id}: ${step.phase} ${step.state}`);
    throw new InvariantError(
      `operation ${id} is ${this.operation(id).status} after ${MAX_TURNS} turns:\n${steps?.join('\n') ?? ''}`,
    );
  }

  /** Plays every begun internal saga to its end. */
  async settleInternals(): Promise<void> {
    const pending = () =>
      [...this.store.internals.values()].find(
        ({ id, kind, state }) => state === 'PENDING' && (kind === 'CLEAN_UP' || this.operation(id).status !== 'suspended'),
      );
    let rounds = 0;
    for (let saga = pending(); saga !== undefined; saga = pending()) {
      if (++rounds > MOST_ROUNDS)
        throw new Error(`${saga.kind} ${saga.id} goes on and on: ${JSON.stringify(this.operation(saga.id))}`);
      // The sweep retries it so.
      if (this.operation(saga.id).status === 'suspended') await this.ask(saga.id, 'retry');
      await this.settle(saga.id);
    }
  }

  /** Asks for a task as a person. A task whose answer is lost is asked for again, unless it was carried out. */
  async ask(id: string, task: 'retry' | 'rollback' | 'cancel' | 'abandon'): Promise<void> {
    const { status } = this.operation(id);
    this.#asked = task;
    try {
      await (task === 'cancel' ? this.coordinator.cancel(id, 'FORCEFUL') : this.coordinator[task](id));
    } catch (error) {
      if (!isCrash(error)) throw error;
      this.#discard();
      if (this.operation(id).status === status) await this.ask(id, task);
    }
  }

  /** Takes turns until the chosen point is reached; false when the operation rests before. */
  async untilCrashed(id: string): Promise<boolean> {
    for (let turn = 0; turn < MAX_TURNS && this.points.struck === undefined; turn++) {
      if (['completed', 'rolled-back', 'abandoned', 'suspended'].includes(this.operation(id).status)) return false;
      await this.turn();
    }
    return true;
  }

  /** Has one wake-up answered. When none is left, the clock advances and a coordinator sweeps. */
  async turn(): Promise<void> {
    const wakeUp = this.wakeUps.shift();
    try {
      if (wakeUp === undefined) {
        this.journal.pass(TICK);
        this.#asked = 'sweep';
        await this.coordinator.sweep();
      } else if (wakeUp.stepId === BEGIN_STEP) {
        this.#asked = 'begin';
        await this.coordinator.begin(wakeUp.operationId);
      } else await this.#answer(wakeUp);
    } catch (error) {
      if (!isCrash(error)) throw error;
    }
    this.#discard();
  }

  async #answer(wakeUp: WakeUp): Promise<void> {
    const worker = this.#workerOf(wakeUp.service);
    this.#running = { crashable: worker.crashable, step: wakeUp.stepId };
    try {
      await worker.answer(wakeUp);
    } finally {
      this.#running = undefined;
    }
  }

  /** Replaces a dead process by a new one, which knows nothing. */
  #discard(): void {
    const coordinatorDied = !this.#coordinator.alive;
    if (coordinatorDied) this.#coordinator = new Crashable('the coordinator');
    if (coordinatorDied && this.allDie) {
      this.#workers.clear();
      this.wakeUps = [];
    }
    for (const [service, { crashable }] of this.#workers) if (!crashable.alive) this.#workers.delete(service);
  }

  #atWork(point: string): void {
    if (this.#running !== undefined) this.points.reached(`${point} in ${this.#running.step}`, this.#running.crashable);
  }

  #workerOf(service: string): SimulatedWorker {
    const known = this.#workers.get(service);
    if (known !== undefined) return known;
    const actions = this.#actions.get(service);
    if (actions === undefined) throw new InvariantError(`the simulation has no service ${service}`);
    const worker = new SimulatedWorker({
      service,
      actions,
      coordinator: this.#client(),
      points: () => this.points,
      coordinatorDied: () => !this.#coordinator.alive && this.#revive(),
      trouble: (error) => this.troubles.push(`${service}: ${error.message}`),
    });
    this.#workers.set(service, worker);
    return worker;
  }

  /** The coordinator's interface for workers. */
  #client(): CoordinatorClient {
    const asked = (what: string, stepId: string): Coordinator => {
      this.#asked = `${what} of ${stepId}`;
      return this.coordinator;
    };
    return {
      claim: (request) => asked('claim', request.stepId).claim(request),
      renew: (request) => asked('renewal', request.stepId).renew(request),
      result: (request) => asked('result', request.stepId).result(request),
    };
  }

  /** Starts another coordinator for the worker's next request, unless all died together. */
  #revive(): boolean {
    if (this.allDie) return false;
    this.#coordinator = new Crashable('the coordinator');
    return true;
  }

  #setUp(): void {
    const { record } = this.sample;
    this.store.packages.set(record.id, record);
    this.store.instances.set(INSTANCE, instanceRecord({ id: INSTANCE, vnfPkgId: record.id, vnfdId: record.model.vnfdId }));
    const lab = vimOf(this.emulator);
    this.store.vims.push(lab, simulatedClusterVim(lab.access));
  }
}

const isCrash = (error: unknown): boolean =>
  error instanceof Crash || (error instanceof AggregateError && error.errors.every(isCrash));
