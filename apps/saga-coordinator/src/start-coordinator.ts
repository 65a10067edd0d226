import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { days, hours, minutes, seconds, type Duration } from '@windlass/foundation';
import { LifecycleOwner, OPERATIONS, type DriverClient, type LcmStore, type OperationTable } from '@windlass/lifecycle';
import {
  CoordinatorServer,
  CoreKeys,
  wakeUpEvent,
  DriverAsker,
  DurableReconciler,
  encode,
  EnrolmentServer,
  eventStream,
  JetStreamStrategy,
  lifecycleEvent,
  NatsWakeUpSender,
  OutboxRelay,
  stepLog,
  stepStream,
  StreamPublisher,
  type MessagingLog,
  type NatsLink,
  type OutboxSource,
} from '@windlass/messaging';
import {
  certificatesEnds,
  ChainKeys,
  convertOldRequests,
  PgAuditChain,
  PgEnrolments,
  PgInternalLooks,
  PgJournal,
  PgLcmStore,
  PgOutbox,
  PgPurge,
  PgRestoration,
  PgSnapshotSchedule,
  OperationOnlooker,
  PgTelemetry,
  Vault,
  type ChainBacklog,
  type PendingInternals,
  type CertificatesEnd,
  type NewestSnapshot,
} from '@windlass/persistence';
import {
  bindActions,
  Coordinator,
  IncarnatedCoordinator,
  IncarnatedWakeUps,
  StepWorker,
  type BoundAction,
  type CoordinatorClient,
  type EnginePolicy,
  type Journal,
  type LimitUse,
  type OperationOwner,
} from '@windlass/saga';
import { COORDINATOR_SERVICE } from '@windlass/lifecycle';
import type { CoordinatorCounters, UnderWay } from '@windlass/service-kit';
import type { DataSource } from 'typeorm';
import { AcceptedOperations } from './accepted-operations.js';
import { askDriver } from './actions/ask-driver.action.js';
import { awaitGrace } from './actions/await-grace.action.js';
import { awaitGrant, requestGrant } from './actions/grant.actions.js';
import { ImageSweep } from './image-sweep.js';
import { InternalMoves } from './internal-moves.js';
import { NatsDriverClient } from './nats-driver-client.js';
import { Granting } from './nfvo/granting.js';
import { NfvoClient } from './nfvo/nfvo-client.js';
import type { NfvoSettings } from './nfvo/nfvo-config.js';
import { Purger, type Retention } from './purger.js';
import { HeldJournal } from './restoration/held-journal.js';
import { RestoredRecord } from './restoration/restored-record.js';
import { SagaController } from './saga.controller.js';
import { SnapshotSchedule } from './snapshot-schedule.js';
import { Sweeper } from './sweeper.js';
import { TrailChainer } from './trail-chainer.js';

export interface CoordinatorDependencies {
  link: NatsLink;
  database: DataSource;
  databaseUrl: string;
  masterKeys: readonly Buffer[];
  policy: EnginePolicy;
  sweepEvery?: Duration;
  retention?: Partial<Retention>;
  purgeEvery?: Duration;
  /** Between two looks at the audit trail for entries without a link. */
  chainEvery?: Duration;
  /** How old the newest snapshot of a cluster may grow before another is taken; 0, or undefined: none are taken by a schedule. */
  snapshotEvery?: Duration;
  /** Between two looks at what of that is due. */
  snapshotLookEvery?: Duration;
  /** Before a failed clean-up is tried again, by the attempts so far; `pauseBeforeAgain` by default. */
  cleanUpPause?: (attempts: number) => Duration;
  /** The owner of the operations; the lifecycle's by default. Tests of the engine give owners with plans of their own. */
  owner?: OperationOwner;
  /** The operations that there are, where they are not those of the product. */
  operations?: OperationTable;
  /** Wraps PostgreSQL's journal, for tests. */
  aroundJournal?: (journal: Journal) => Journal;
  /** Whom grants are asked of; without it they are local. */
  nfvo?: NfvoSettings | undefined;
  /** Whether instances share the images of their packages; they do not unless given. */
  sharesImages?: boolean;
  /** How long a shared image that nobody refers to stays for whoever comes next; it goes with the last instance unless given. */
  imagesKeptFor?: Duration;
  /** Between two looks for shared images that are left over; ten minutes by default. */
  imageLookEvery?: Duration;
  /** Counts what it does, for the metrics. */
  counters?: CoordinatorCounters;
  /** Names this replica. */
  replica: string;
  log: MessagingLog;
  user?: string;
}

/** A service that runs. */
export interface RunningService {
  readonly ready: boolean;
  /** Takes nothing more, detaches from what runs, and ends. */
  stop(): Promise<void>;
}

@Module({})
class CoordinatorModule {
  static with(values: readonly object[]): DynamicModule {
    return {
      module: CoordinatorModule,
      controllers: [SagaController],
      providers: values.map((value) => ({ provide: value.constructor, useValue: value })),
    };
  }
}

/** The most lines of a metric of clusters. With more clusters, those whose certificates end first, or whose snapshots are oldest, are shown. */
const MOST_CLUSTERS = 500;

/** A coordinator that runs. */
export interface RunningCoordinator extends RunningService {
  /** What runs and waits by limit key, for the metrics. */
  limitUse(): Promise<readonly LimitUse[]>;
  /** Operations, steps to be claimed and messages to be sent, for the metrics. */
  underWay: UnderWay;
  /** Clean-ups, refreshes and audits that have not ended, for the metrics. */
  pendingInternals(): Promise<readonly PendingInternals[]>;
  /** When the certificates of clusters end, those that end first, for the metrics. */
  certificatesEnds(): Promise<readonly CertificatesEnd[]>;
  /** When the newest snapshots of clusters were taken, the oldest first, for the metrics. */
  newestSnapshots(): Promise<readonly NewestSnapshot[]>;
  /** What of the audit trail is not chained yet, for the metrics. */
  trailBacklog(): Promise<ChainBacklog>;
}

/** Starts a coordinator: claims and results by request/reply, its own wake-ups, the sweep, and the outbox's relay. */
export async function startCoordinator(dependencies: CoordinatorDependencies): Promise<RunningCoordinator> {
  const { link, database, databaseUrl, masterKeys, policy, operations = OPERATIONS, log, user, counters } = dependencies;
  const vault = new Vault(masterKeys);
  await convertInstances(database, vault, log);
  const store = new PgLcmStore(database, vault, dependencies.imagesKeptFor);
  const publisher = new StreamPublisher(link, [stepStream, eventStream], log);
  const { restored, journal } = await recordOf(dependencies, store, vault);
  const owner = dependencies.owner ?? lifecycleOwner(dependencies, store, operations);
  const telemetry = new PgTelemetry(database);
  const onlooker = new OperationOnlooker(telemetry, log, counters);
  const wakeUpSender = new IncarnatedWakeUps(new NatsWakeUpSender(publisher, log), restored);
  const coordinator = new Coordinator({ journal, wakeUpSender, owner, policy, onlooker });
  const enrolments = new PgEnrolments(database);
  const coreKeys = new CoreKeys(masterKeys);
  const drivers = new NatsDriverClient(new DriverAsker({ link, coreKeys, enrolments, log }));
  const actions = coordinatorActions(store, operations, drivers, dependencies.nfvo);
  const incarnated = new IncarnatedCoordinator(coordinator, restored);
  const worker = coordinatorWorker(dependencies, incarnated, actions);
  const reconciler = durableReconciler(dependencies, enrolments, publisher);
  const server = new CoordinatorServer(incarnated, masterKeys, enrolments, log);
  const enrolment = new EnrolmentServer(enrolments, coreKeys, log, (service) => reconciler.keep(service));
  const strategy = new JetStreamStrategy({ link, service: COORDINATOR_SERVICE, log, ...(user === undefined ? {} : { user }) });
  const module = CoordinatorModule.with([server, enrolment, coordinator, worker, new Granting(dependencies.nfvo)]);
  const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
  const outbox = new PgOutbox(database, databaseUrl);
  const relay = outboxRelay(coordinator, outbox, publisher, log);
  const schedule = new PgSnapshotSchedule(database, store);
  const chain = new PgAuditChain(database, new ChainKeys(masterKeys));
  const rounds = [
    new Sweeper(coordinator, log, sweepPause(dependencies)),
    new Sweeper(restored, log, RESTORED_LOOK),
    ...housekeeping(dependencies, { store, coordinator, outbox, chain }),
    ...snapshotSweepers(dependencies, schedule),
  ];
  await publisher.ensure();
  reconciler.start();
  await app.listen();
  relay.start();
  for (const part of rounds) part.start();
  return {
    get ready() {
      return strategy.ready;
    },
    limitUse: () => journal.limitUse(),
    underWay: figuresOf(telemetry, policy),
    pendingInternals: () => store.transact((handle) => store.pendingInternals(handle)),
    certificatesEnds: () => certificatesEnds(database.manager, MOST_CLUSTERS),
    newestSnapshots: () => schedule.newest(MOST_CLUSTERS),
    trailBacklog: () => chain.backlog(),
    stop: async () => {
      await strategy.stopTaking();
      await Promise.all([reconciler, worker, relay, ...rounds].map((part) => part.stop()));
      await app.close();
      await outbox.close();
    },
  };
}

/** Keeps a consumer of the stream for every service that has keys. */
const durableReconciler = (
  { link, log }: CoordinatorDependencies,
  enrolments: PgEnrolments,
  publisher: StreamPublisher,
): DurableReconciler =>
  new DurableReconciler({
    link,
    log,
    services: () => enrolments.servicesWithKeys(),
    own: COORDINATOR_SERVICE,
    ensureStreams: () => publisher.ensure(),
  });

/** The journal, and what follows from the record's having been brought back, if it was. */
async function recordOf(
  { database, aroundJournal, log }: CoordinatorDependencies,
  store: PgLcmStore,
  vault: Vault,
): Promise<{ restored: RestoredRecord; journal: Journal }> {
  const restoration = new PgRestoration(database);
  const restored = await RestoredRecord.read(restoration, store, vault, log);
  const journal = new HeldJournal(new PgJournal(database, vault), restored, restoration);
  return { restored, journal: aroundJournal?.(journal) ?? journal };
}

/** How soon a coordinator sees that another has released a restored record. */
const RESTORED_LOOK = seconds(2);

const sweepPause = ({ sweepEvery = seconds(0.5) }: CoordinatorDependencies): Duration => sweepEvery;

/** What is under way, read from the record when it is asked for. */
const figuresOf = (telemetry: PgTelemetry, { dispatchWithin }: CoordinatorDependencies['policy']) => ({
  operations: () => telemetry.operations(),
  claimable: () => telemetry.claimable(dispatchWithin),
  outbox: () => telemetry.outbox(),
});

/** The coordinator's regular work beside operations: purging, chaining the audit trail, retrying internal operations, removing images. */
function housekeeping(
  dependencies: CoordinatorDependencies,
  { store, coordinator, outbox, chain }: { store: PgLcmStore; coordinator: Coordinator; outbox: PgOutbox; chain: PgAuditChain },
): (Purger | Sweeper)[] {
  const { database, log, counters, purgeEvery = minutes(1), chainEvery = seconds(5) } = dependencies;
  const retention = { ...defaultRetention, ...dependencies.retention };
  const linking = new TrailChainer(chain, log, undefined, undefined, () => counters?.trailTroubled());
  return [
    new Purger(new PgPurge(database), outbox, chain, retention, log, purgeEvery, counters),
    new Sweeper(linking, log, chainEvery),
    new Sweeper(new InternalMoves(new PgInternalLooks(database), coordinator, log), log, sweepPause(dependencies)),
    imageSweeper(dependencies, store),
  ];
}

const imageSweeper = ({ imageLookEvery = minutes(10), log }: CoordinatorDependencies, store: PgLcmStore): Sweeper =>
  new Sweeper(new ImageSweep(store, log), log, imageLookEvery);

/** None where the operator wants no snapshots; those in flight give way to operations all the same. */
function snapshotSweepers(dependencies: CoordinatorDependencies, schedule: PgSnapshotSchedule): Sweeper[] {
  const { snapshotEvery: every, snapshotLookEvery = seconds(20), log } = dependencies;
  if (every === undefined || every === 0) return [];
  return [new Sweeper(new SnapshotSchedule(schedule, every, log), log, snapshotLookEvery)];
}

/** Gives instances that an older release kept their desired state, before anything reads it. */
async function convertInstances(database: CoordinatorDependencies['database'], vault: Vault, log: MessagingLog): Promise<void> {
  const converted = await convertOldRequests(database, vault);
  if (converted > 0) log.info('what an older release kept of instances is converted now', { instances: converted });
}

const lifecycleOwner = (
  { nfvo, cleanUpPause, sharesImages = false }: CoordinatorDependencies,
  store: LcmStore,
  operations: OperationTable,
): LifecycleOwner =>
  new LifecycleOwner(store, { operations, nfvo, sharesImages, ...(cleanUpPause === undefined ? {} : { pause: cleanUpPause }) });

const coordinatorWorker = (
  { replica, log }: CoordinatorDependencies,
  coordinator: CoordinatorClient,
  actions: BoundAction[],
): StepWorker => new StepWorker({ service: COORDINATOR_SERVICE, worker: replica, actions, coordinator, ...stepLog(log) });

/** The actions of the coordinator's own worker. */
export function coordinatorActions(
  store: LcmStore,
  operations: OperationTable,
  drivers: DriverClient,
  settings?: NfvoSettings,
): BoundAction[] {
  const nfvo = settings === undefined ? undefined : new NfvoClient(settings);
  return [
    ...bindActions([askDriver], (run, work) => work({ run, store, drivers, operations })),
    ...bindActions([awaitGrace], (run, work) => work({ run, store, drivers, operations })),
    ...bindActions([requestGrant], (run, work) => work({ run, store, nfvo })),
    ...bindActions([awaitGrant], (run, work) => work({ run, store, nfvo })),
  ];
}

/** How long things are kept where the configuration says nothing. */
export const defaultRetention: Retention = {
  journals: days(14),
  operations: days(180),
  trail: days(400),
  outbox: hours(1),
  // Longer than an upgrade whose coordinators of the release before note no looks, and than a service is stopped for repairs.
  keys: days(7),
};

/** The outbox's relay. Accepted operations are begun here instead of being sent as wake-ups. */
function outboxRelay(
  coordinator: Coordinator,
  outbox: PgOutbox,
  publisher: StreamPublisher,
  log: MessagingLog,
): { start(): void; stop(): Promise<void> } {
  const accepted = new AcceptedOperations(coordinator, log);
  const relay = new OutboxRelay(relaySource(outbox, accepted), publisher, log);
  return {
    start: () => relay.start(),
    stop: async () => {
      await relay.stop();
      await accepted.stop();
    },
  };
}

/** Rows of the outbox as messages: wake-ups and events, each in its envelope. */
const relaySource = (outbox: PgOutbox, accepted: AcceptedOperations): OutboxSource => ({
  takeBatch: (limit, publish) =>
    outbox.takeBatch(limit, (rows) =>
      publish(
        rows
          .filter((row) => !accepted.takes(row))
          .map(({ id, subject, message }) => ({
            id: `outbox-${id}`,
            subject,
            message: subject.startsWith('windlass.step.')
              ? encode(wakeUpEvent.name, wakeUpEvent.data, message as never, { id: `outbox-${id}` })
              : encode(lifecycleEvent.name, lifecycleEvent.data, message as Record<string, unknown>, { id: `outbox-${id}` }),
          })),
      ),
    ),
  onWake: (callback) => outbox.onWake(callback),
});
