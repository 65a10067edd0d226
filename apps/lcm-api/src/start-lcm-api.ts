import { Module, type DynamicModule, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { InvariantError, seconds, TerminalError } from '@windlass/foundation';
import { LifecycleOwner, OPERATIONS, type OperationTable } from '@windlass/lifecycle';
import {
  AnnouncementServer,
  CoreKeys,
  DriverAsker,
  JetStreamStrategy,
  KnownKeys,
  NatsWakeUpSender,
  RequestClient,
  StreamPublisher,
  VimClient,
  type MessagingLog,
  type NatsLink,
} from '@windlass/messaging';
import {
  ChainCheck,
  ChainKeys,
  OperationOnlooker,
  OUTBOX_CHANNEL,
  PgAuditTrail,
  PgDrivers,
  PgEnrolments,
  PgClusterSnapshots,
  PgSnapshotSchedule,
  PgHostKeys,
  PgJournal,
  PgListener,
  PgObservability,
  PgRestoration,
  PgShownRows,
  PgTelemetry,
  Vault,
  VIEWS_SESSIONS,
} from '@windlass/persistence';
import { OutboundClient, type OutboundOptions } from '@windlass/outbound';
import { Coordinator, EPOCHS_OF_AN_INCARNATION, IncarnatedWakeUps, type EnginePolicy } from '@windlass/saga';
import type { EndCounters } from '@windlass/service-kit';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { setInterval } from 'node:timers';
import type { DataSource } from 'typeorm';
import { Audits } from './audits/audits.js';
import { CONTROLLERS, routesOf } from './controllers.js';
import { EnrolmentSettings } from './enrolment/enrolment-settings.js';
import { DriverRegistry } from './drivers/driver-registry.js';
import { ClientAddresses, noProxies, type TrustedProxies } from './caller/client-address.js';
import { answerClientErrors } from './http/client-errors.js';
import { knownQuery } from './http/encodings.js';
import { ProblemFilter } from './http/problem.filter.js';
import { jsonOfRoute, knownRoutes, problemsOf, saneBody, versions } from './http/middleware.js';
import { drainConnections } from './http/drain-connections.js';
import { asAuthority, PublicUrl } from './links/public-url.js';
import { sameOrigin } from './http/same-origin.js';
import type { ServerTls } from './http/server-tls.js';
import { enterTelemetry, openTelemetry } from './http/request-telemetry.js';
import { defaultRequestTimes, requestTimes, setServerTimes, type RequestTimes } from './http/request-times.js';
import type { Authentication } from './identity/authentication.js';
import { InstanceAnswers } from './instances/instance-answers.js';
import { ScriptRunners } from './instances/script-runners.js';
import { coordinatorWaker } from './instances/wake-coordinator.js';
import { VnfInstances } from './instances/vnf-instances.js';
import { DashboardFiles } from './dashboard/dashboard-files.js';
import { ApiDocument } from './openapi/api-document.js';
import { OpOccs } from './op-occs/op-occs.js';
import type { Onboarding } from './packages/onboarding.js';
import { packageServices } from './packages/package-services.js';
import { defaultPackagePolicy, type PackagePolicy } from './packages/package-policy.js';
import type { ProjectQuotas } from './quotas/project-quotas.js';
import { Rendering } from './rendering/rendering.js';
import { LcmApiSettings } from './caller/settings.js';
import { defaultEventStreams, type EventStreamPolicy } from './observability/event-stream-limits.js';
import { EventStreams } from './observability/event-streams.js';
import { QuotableSecrets } from './observability/quotable-secrets.js';
import type { OpenArchives } from './packages/open-archives.js';
import { grantedBy } from './plans/granted-by.js';
import { OperationPlans } from './plans/operation-plans.js';
import { NetworkChecks } from './vims/network-checks.js';
import { RequestTrail } from './trail/request-trail.js';
import { TrailedStore } from './trail/trailed-store.js';
import { packageModels, RenderingV2 } from './v2/rendering-v2.js';
import { v2Headers } from './v2/v2-headers.js';
import { subscriptionServices, type NotificationOptions } from './notifications/subscription-services.js';

export const LCM_API = 'lcm-api';

export interface LcmApiDependencies {
  link: NatsLink;
  database: DataSource;
  masterKeys: readonly Buffer[];
  policy: EnginePolicy;
  /** Whether instances share the images of their packages, for plans of what would be done. */
  sharesImages?: boolean;
  /** Finds out who asks, before every handler and before a body is read. */
  authentication: Authentication;
  /** Serves by https; by http without it. */
  tls?: ServerTls;
  host: string;
  /** 0: a free one. */
  port: number;
  /** Where clients find this API, with the path that a proxy puts before ours; where it listens by default. Without a slash at its end. */
  publicUrl?: string;
  /** The proxies that are trusted to name the client's address; none by default. */
  proxies?: TrustedProxies;
  /** Of an uploaded package. */
  maxPackageBytes: number;
  /** From where packages are fetched, and how long that may take; {@link defaultPackagePolicy} where it says nothing. */
  packages?: Partial<PackagePolicy>;
  /** What a project may have; as much as it likes where nothing is said. */
  quotas?: ProjectQuotas;
  /** The program of the threads that read packages; the one that is built by default. */
  readerThread?: URL;
  /** What live views may cost; {@link defaultEventStreams} where it says nothing. */
  events?: Partial<EventStreamPolicy>;
  /** How long clients may take; {@link defaultRequestTimes} where it says nothing. */
  times?: Partial<RequestTimes>;
  /** Its admins see entries of the audit trail that belong to no project; `default` by default. */
  operatorProject?: string;
  /** Where connections to addresses of clients may go, and with which certificates; the client's own default where it says nothing. */
  outbound?: OutboundOptions;
  notifications?: NotificationOptions;
  /** Those that can be asked for; the lifecycle's by default. */
  operations?: OperationTable;
  log: MessagingLog;
  /** Of operations that end here: those that somebody has `fail`. */
  counters?: EndCounters;
  user?: string;
}

@Module({})
class LcmApiModule implements NestModule {
  static with(values: readonly object[]): DynamicModule {
    return {
      module: LcmApiModule,
      controllers: [...CONTROLLERS],
      providers: values.map((value) => ({ provide: value.constructor, useValue: value })),
    };
  }

  configure(_consumer: MiddlewareConsumer): void {
    // Express's own middleware comes first (see startLcmApi): it must answer where no controller would.
  }
}

/**
 * Starts the REST gateway, and serves what other services ask of it.
 * @throws TerminalError `lcm.port-taken`
 */
export async function startLcmApi(dependencies: LcmApiDependencies) {
  const { link, log, user, tls } = dependencies;
  const routes = routesOf(dependencies.operations);
  const services = wired(dependencies, await epochBaseOf(dependencies.database));
  const app = await NestFactory.create<NestExpressApplication>(LcmApiModule.with([...services.provided, ...describing(routes)]), {
    logger: false,
    bodyParser: false,
    ...(tls === undefined ? {} : { httpsOptions: tls.options }),
  });
  const strategy = new JetStreamStrategy({ link, service: LCM_API, log, ...(user === undefined ? {} : { user }) });
  app.connectMicroservice({ strategy });
  app.disable('x-powered-by');
  const server = app.getHttpServer() as Server;
  setServerTimes(server, timesOf(dependencies));
  answerClientErrors(server);
  const drain = drainConnections(server);
  dependencies.authentication.answerExpectations(server);
  tls?.keepFresh(server as HttpsServer);
  app.use(...wayIn(dependencies, services, routes));
  app.useGlobalFilters(new ProblemFilter(log));
  const sweep = setInterval(() => void sweepPackages(services.onboarding, log), packagePolicy(dependencies).abandonedAfter / 3);
  const stop = async (): Promise<void> => {
    clearInterval(sweep);
    tls?.close();
    drain();
    await strategy.stopTaking();
    await services.senders.stop();
    // What is being fetched ends at once, what is being processed is waited for.
    const stopped = services.onboarding.stop();
    await services.streams.close();
    await app.close();
    await stopped;
  };
  const port = await listen(app, dependencies, stop);
  services.senders.start();
  const scheme = tls === undefined ? 'http' : 'https';
  if (services.publicUrl.listensOn(dependencies.host, port, scheme))
    log.warn('clients elsewhere can follow no link: give WINDLASS_PUBLIC_URL', { links: services.publicUrl.root });
  return {
    port,
    url: `${scheme}://${asAuthority(dependencies.host)}:${port}`,
    get ready() {
      return strategy.ready;
    },
    stop,
  };
}

const timesOf = ({ times }: LcmApiDependencies): RequestTimes => ({ ...defaultRequestTimes, ...times });

/** What each request goes through before its controller, in this order. */
const wayIn = (dependencies: LcmApiDependencies, services: ReturnType<typeof wired>, routes: ReturnType<typeof routesOf>) => [
  openTelemetry(routes),
  services.trail.open,
  requestTimes(timesOf(dependencies), dependencies.log),
  versions(routes),
  v2Headers,
  knownRoutes(routes),
  sameOrigin(services.publicUrl),
  dependencies.authentication.middleware,
  knownQuery,
  jsonOfRoute,
  saneBody,
  services.trail.enter,
  enterTelemetry,
  problemsOf(dependencies.log),
];

/** What shows the API to people: its document, and the dashboard. */
const describing = (routes: ReturnType<typeof routesOf>) => [new ApiDocument(routes), new DashboardFiles()];

/** Serves from here on; the port. A start that fails leaves nothing open. */
async function listen(app: NestExpressApplication, dependencies: LcmApiDependencies, stop: () => Promise<void>): Promise<number> {
  try {
    await app.startAllMicroservices();
    await app.listen(dependencies.port, dependencies.host);
  } catch (error) {
    await stop();
    throw portTaken(dependencies, error);
  }
  return ((app.getHttpServer() as Server).address() as AddressInfo).port;
}

function portTaken({ host, port }: LcmApiDependencies, cause: unknown): unknown {
  if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') return cause;
  const problem = `port ${port} of ${host}, where the REST API is to listen, is in use`;
  const order = `end what has it (ss -ltnp 'sport = :${port}' names it), or choose another port`;
  return new TerminalError('lcm.port-taken', `${problem}: ${order}`, { cause });
}

const packagePolicy = ({ packages }: LcmApiDependencies): PackagePolicy => ({ ...defaultPackagePolicy, ...packages });

const streamLimits = ({ events }: LcmApiDependencies) => ({ ...defaultEventStreams, ...events });

function wired(dependencies: LcmApiDependencies, epochBase: number) {
  const { link, database, masterKeys, maxPackageBytes, operations = OPERATIONS, quotas = {}, log } = dependencies;
  const vault = new Vault(masterKeys);
  const publicUrl = new PublicUrl(dependencies.publicUrl);
  const entries = new PgAuditTrail(database);
  const trail = new RequestTrail(entries, database, new ClientAddresses(dependencies.proxies ?? noProxies), log);
  const store = new TrailedStore(database, vault, trail);
  const observability = new PgObservability(database);
  const client = new RequestClient(link);
  const kept = new PgDrivers(database);
  const enrolments = new PgEnrolments(database);
  const known = new KnownKeys(enrolments);
  const coreKeys = new CoreKeys(masterKeys);
  const vims = new VimClient(client, masterKeys);
  const drivers = new DriverRegistry(kept, new DriverAsker({ link, coreKeys, enrolments, log }), database, vims);
  const coordinator = taskCoordinator(dependencies, vault, new LifecycleOwner(store, { operations }), epochBase);
  const outbound = new OutboundClient(dependencies.outbound);
  const limits = { policy: packagePolicy(dependencies), maxBytes: maxPackageBytes, readerThread: dependencies.readerThread };
  const packages = packageServices({ database, store, drivers, trail, keys: known, vault, outbound, log, quotas, ...limits });
  const shown = new PgShownRows(database, vault);
  const opOccs = new OpOccs(database, shown, coordinator, store, trail, drivers);
  const secrets = new QuotableSecrets(opOccs, drivers);
  const streams = new EventStreams(observability, secrets, wakenBy(database), streamLimits(dependencies), log);
  const rendering = new Rendering(publicUrl, drivers, operations);
  const forSubscriptions = { database, vault, trail, publicUrl, rendering, outbound, log };
  const subscriptions = subscriptionServices(forSubscriptions, dependencies.notifications);
  return {
    onboarding: packages.onboarding,
    senders: subscriptions.senders,
    publicUrl,
    trail,
    streams,
    provided: [
      drivers,
      kept,
      new AnnouncementServer(kept, known, coreKeys, log),
      ...packages.provided,
      ...instanceServices(dependencies, { vault, shown, store, drivers, operations, client, archives: packages.archives, vims }),
      operations,
      opOccs,
      secrets,
      observability,
      streams,
      entries,
      trail,
      new ChainCheck(database, new ChainKeys(masterKeys)),
      new Audits(database, vault, store, coordinator),
      vims,
      publicUrl,
      rendering,
      new RenderingV2(publicUrl, drivers, operations, packageModels(store, database)),
      new LcmApiSettings(dependencies.operatorProject ?? 'default'),
      outbound,
      ...subscriptions.provided,
      ...ofTheDeployment(database, enrolments, coreKeys),
      ...keptOfMachines(database, vault, store),
    ],
  };
}

/** The workers' keys and the restored record, as admins see them. */
const ofTheDeployment = (database: DataSource, enrolments: PgEnrolments, { publicX }: CoreKeys): readonly object[] => [
  enrolments,
  new PgRestoration(database),
  new EnrolmentSettings(publicX),
];

/** What others keep of VNF instances' machines, as admins see it. */
const keptOfMachines = (
  database: DataSource,
  vault: Vault,
  store: TrailedStore,
): [PgHostKeys, PgClusterSnapshots, PgSnapshotSchedule] => [
  new PgHostKeys(database),
  new PgClusterSnapshots(database, vault),
  new PgSnapshotSchedule(database, store),
];

interface InstanceDependencies {
  vault: Vault;
  shown: PgShownRows;
  store: TrailedStore;
  drivers: DriverRegistry;
  operations: OperationTable;
  client: RequestClient;
  archives: OpenArchives;
  vims: VimClient;
}

function instanceServices(
  { link, database, quotas = {}, sharesImages = false, log }: LcmApiDependencies,
  { vault, shown, store, drivers, operations, client, archives, vims }: InstanceDependencies,
): [VnfInstances, InstanceAnswers, OperationPlans] {
  const scripts = new ScriptRunners(client);
  const most = quotas.vnfInstances;
  const networks = new NetworkChecks(vims, () => grantedBy(client));
  const instances = new VnfInstances(
    database,
    vault,
    shown,
    store,
    drivers,
    operations,
    scripts,
    archives,
    vims,
    most,
    networks,
    new PgClusterSnapshots(database, vault),
    coordinatorWaker(link, log),
  );
  const plans = new OperationPlans(database, store, instances, drivers, operations, client, sharesImages);
  return [instances, new InstanceAnswers(instances, drivers.secrets), plans];
}

/** A record is brought back while this service is stopped: its incarnation stays the same (ADR 111). */
const epochBaseOf = async (database: DataSource): Promise<number> =>
  ((await new PgRestoration(database).current())?.number ?? 0) * EPOCHS_OF_AN_INCARNATION;

/** Tasks on operations are transitions of the same machine. This coordinator serves no worker. */
function taskCoordinator(
  { link, database, policy, log, counters }: LcmApiDependencies,
  vault: Vault,
  owner: LifecycleOwner,
  epochBase: number,
): Coordinator {
  // This publisher makes no stream. Where a stream is missing the wake-up is not sent, and the coordinators' sweep sends it once there is one.
  const publisher = new StreamPublisher(link, [], log);
  return new Coordinator({
    journal: new PgJournal(database, vault),
    wakeUpSender: new IncarnatedWakeUps(new NatsWakeUpSender(publisher, log), { epochBase }),
    owner,
    policy,
    onlooker: new OperationOnlooker(new PgTelemetry(database), log, counters),
  });
}

/** The listener for what commits announce: the outbox's relays wait for it, and live views listen, too. */
function wakenBy(database: DataSource): PgListener {
  const { options } = database;
  if (options.type !== 'postgres' || options.url === undefined) throw new InvariantError('the database has no URL to listen at');
  return new PgListener({ url: options.url, channel: OUTBOX_CHANNEL, applicationName: VIEWS_SESSIONS });
}

async function sweepPackages(onboarding: Onboarding, log: MessagingLog): Promise<void> {
  try {
    await onboarding.sweep();
  } catch (error) {
    log.warn('abandoned uploads could not be looked for; trying again', {
      error: error instanceof Error ? error.message : String(error),
      every: seconds(10),
    });
  }
}
