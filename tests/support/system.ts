import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { startTestServers, type TestServers } from '@windlass/embedded/testing';
import {
  millis,
  observing,
  Secret,
  seconds,
  waitUntil,
  type Duration,
  type JsonObject,
  type Observer,
} from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';
import { SCRIPT_SETTINGS, startInfraDriver } from '@windlass/infra-driver';
import { OpenStackEmulator, type EmulatorOptions } from '@windlass/lab';
import { Authentication, startLcmApi, staticToken, type Access, type LcmApiDependencies } from '@windlass/lcm-api';
import { LifecycleOwner, OPERATIONS, type OperationTable } from '@windlass/lifecycle';
import { connectNats, type MessagingLog, type NatsLink } from '@windlass/messaging';
import type { StackPace } from '@windlass/openstack';
import { AddressRules, defaultOutboundRules, type HttpProxy, type OutboundRules } from '@windlass/outbound';
import { connectDatabase, migrate, PgLcmStore, Vault } from '@windlass/persistence';
import { startCoordinator, type NfvoSettings } from '@windlass/saga-coordinator';
import { defaultPolicy, type EnginePolicy } from '@windlass/saga';
import { startVimRegistry } from '@windlass/vim-registry';
import { buildCsar } from '@windlass/vnf-package';
import type { DataSource } from 'typeorm';
import { newToken, startEnrolment, taken } from './enrolment.js';
import { openStackVim, type OpenStackAccess } from './openstack-vim.js';
import { QUICK_LOOKS } from './quick-looks.js';
import { readerThread } from './reader-thread.js';

const said = evidence.log('services-in-this-process');
const noted = (level: string) => (message: string, fields?: object) =>
  said(`${level} ${message} ${inspect(fields, { breakLength: Infinity })}`);

/** Prints errors alone. All lines are kept as evidence when a test fails. */
export const quiet: MessagingLog = {
  info: noted('info'),
  warn: noted('warn'),
  error: (message, fields) => {
    noted('error')(message, fields);
    console.error(message, fields);
  },
};

export interface System {
  servers: TestServers;
  emulator: OpenStackEmulator;
  database: DataSource;
  link: NatsLink;
  masterKeys: Buffer[];
  policy: EnginePolicy;
  api: AxiosInstance;
  infra: InfraStart;
  /** The infra driver that runs from the start. */
  worker: Awaited<ReturnType<InfraStart>>;
  /** Starts another replica of the VIM registry. */
  startRegistry(): ReturnType<typeof startVimRegistry>;
  /** Stops the infra driver, which hands over its steps, and starts another. */
  replaceInfra(): Promise<void>;
  /** Starts one more coordinator, which the caller stops. */
  joinCoordinator(replica: string): ReturnType<typeof startCoordinator>;
  /** Ends the coordinator, and starts another. @param sharesImages as {@link SystemOptions.sharesImages}; as before unless given */
  replaceCoordinator(sharesImages?: boolean): Promise<void>;
  close(): Promise<void>;
  /** Stops the services alone: the servers and the OpenStack stay, for a later system (`SystemOptions.after`). */
  leave(): Promise<void>;
}

type InfraStart = (over?: NatsLink) => ReturnType<typeof startInfraDriver>;

export interface SystemOptions {
  policy?: Partial<EnginePolicy>;
  emulator?: EmulatorOptions;
  /** The pause before a failed clean-up is tried again. */
  cleanUpPause?: (attempts: number) => Duration;
  /** The schedule of clusters' snapshots; none are taken by schedule unless given. */
  snapshots?: { every: Duration; lookEvery: Duration };
  /** How long a stack that was never seen must stay absent, until it counts as never made. */
  absentFor?: Duration;
  /** How often the infra driver looks at a stack that it waits for; QUICK_LOOKS unless given. */
  stackPace?: StackPace;
  /** How long Heat may take for one change; a minute unless given. */
  stackWithin?: Duration;
  /** A NATS with a user for each service, in place of the system's own, where one user may do everything. */
  nats?: { url: string; passwordOf: (service: string) => string };
  /** The operations of the product; the lifecycle's by default. */
  operations?: OperationTable;
  /** The NFVO that grants; without it, grants are local. */
  nfvo?: NfvoSettings;
  /** Rules for the addresses of VIMs; unless given, the product's with loopback allowed. */
  vimRules?: (emulator: OpenStackEmulator) => Partial<OutboundRules>;
  /** The proxy through which OpenStack is reached. */
  vimProxy?: HttpProxy;
  /** Whether instances share the images of their packages: true by default, as in the product. */
  sharesImages?: boolean;
  /** Steps that the infra driver works on at once; the product's default unless given. */
  stepsAtOnce?: number;
  /** More options of lcm-api. */
  lcm?: Partial<LcmApiDependencies>;
  /** The authentication of lcm-api; by default the token `test-token` alone. */
  access?: (emulator: OpenStackEmulator) => Promise<Access>;
  /** The observer of each service's work. With it, each service has its own connection to NATS. */
  observerOf?: (service: string) => Observer;
  /** Takes the log of all services; {@link quiet} by default. */
  log?: MessagingLog;
  /** An earlier system that was left (`System.leave`), whose servers, OpenStack and master keys are taken over, and the database that now has its record. */
  after?: { left: Pick<System, 'servers' | 'emulator' | 'masterKeys'>; databaseUrl: string };
}

/** All services in this process, on a PostgreSQL, a NATS and an OpenStack of their own. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const { log = quiet, operations = OPERATIONS, after } = options;
  const servers = after?.left.servers ?? (await startTestServers());
  const emulator = after?.left.emulator ?? (await OpenStackEmulator.start({ speed: 'instant', ...options.emulator }));
  const databaseUrl = after?.databaseUrl ?? servers.postgres.url;
  const database = await connectDatabase({ url: databaseUrl, applicationName: 'test', poolSize: 20 });
  await migrate(database);
  const links: NatsLink[] = [];
  const told = <T>(service: string, work: () => T): T =>
    options.observerOf === undefined ? work() : observing(options.observerOf(service), work);
  const linkOf = async (service: string): Promise<{ link: NatsLink; log: MessagingLog; user: string }> => {
    const { url, user, password } =
      options.nats === undefined
        ? servers.nats
        : { url: options.nats.url, user: service, password: options.nats.passwordOf(service) };
    // Where one user may do everything, all services share one connection.
    const known = options.nats === undefined && options.observerOf === undefined ? links[0] : undefined;
    const connect = () => connectNats({ url, user, password: new Secret(password), name: 'test', log });
    const connected = known ?? (await told(service, connect));
    if (known === undefined) links.push(connected);
    return { link: connected, log, user };
  };
  const masterKeys = after?.left.masterKeys ?? [randomBytes(32)];
  const policy: EnginePolicy = { ...defaultPolicy, ...options.policy };
  const own = await linkOf('saga-coordinator');
  let { sharesImages = true } = options;
  const startCoordinating = (replica: string) =>
    startCoordinator({
      ...own,
      database,
      databaseUrl,
      masterKeys,
      policy,
      replica,
      nfvo: options.nfvo,
      operations,
      sweepEvery: millis(200),
      chainEvery: millis(200),
      ...(options.snapshots === undefined
        ? {}
        : { snapshotEvery: options.snapshots.every, snapshotLookEvery: options.snapshots.lookEvery }),
      owner: new LifecycleOwner(new PgLcmStore(database, new Vault(masterKeys)), {
        operations,
        nfvo: options.nfvo,
        sharesImages,
        ...(options.cleanUpPause === undefined ? {} : { pause: options.cleanUpPause }),
      }),
    });
  let coordinator = await told('saga-coordinator', () => startCoordinating('c1'));
  const ofRegistry = await linkOf('vim-registry');
  const where = { ...defaultOutboundRules, ...(options.vimRules?.(emulator) ?? { allow: ['127.0.0.0/8'] }) };
  const rules = new AddressRules(where, options.vimProxy);
  const startRegistry = () => startVimRegistry({ ...ofRegistry, database, masterKeys, rules });
  const registry = await told('vim-registry', startRegistry);
  const ofInfra = await linkOf('infra-driver');
  const enrolled = { service: 'infra-driver', worker: 'i1', link: ofInfra.link, log };
  const enrolment = startEnrolment({ ...enrolled, token: (await newToken(database, masterKeys, enrolled)).text });
  await taken(enrolment);
  const infra = (over?: NatsLink) =>
    startInfraDriver({
      ...ofInfra,
      ...(over === undefined ? {} : { link: over }),
      enrolment,
      settings: {
        stackWithin: options.stackWithin ?? seconds(60),
        absentFor: options.absentFor ?? seconds(1),
        objectsWithin: seconds(60),
        imageMovesWithin: seconds(60),
        ...SCRIPT_SETTINGS,
      },
      rules,
      replica: 'i1',
      pace: options.stackPace ?? QUICK_LOOKS,
      ...(options.stepsAtOnce === undefined ? {} : { stepsAtOnce: options.stepsAtOnce }),
    });
  let worker = await told('infra-driver', infra);
  const access = await options.access?.(emulator);
  const authentication =
    access?.authentication ??
    new Authentication({
      ways: [staticToken(new Secret('test-token'), { tenant: 'default', user: 'admin', roles: ['admin'] })],
    });
  const ofLcm = await linkOf('lcm-api');
  const serve = async () =>
    startLcmApi({
      ...ofLcm,
      database,
      masterKeys,
      policy,
      authentication,
      host: '127.0.0.1',
      port: 0,
      maxPackageBytes: 64 * 1024 * 1024,
      readerThread: await readerThread(),
      operations,
      sharesImages,
      ...options.lcm,
    });
  const lcm = await told('lcm-api', serve);
  const api = axios.create({
    baseURL: lcm.url,
    headers: { 'X-Auth-Token': 'test-token' },
    validateStatus: () => true,
    proxy: false,
  });
  const leave = async () => {
    await lcm.stop();
    access?.close();
    await Promise.all([worker.stop(), registry.stop(), coordinator.stop()]);
    await enrolment.stop();
    await Promise.all(links.map((link) => link.drain()));
    await database.destroy();
  };
  return {
    servers,
    emulator,
    database,
    link: own.link,
    masterKeys,
    policy,
    api,
    infra,
    worker,
    startRegistry,
    replaceInfra: async () => {
      await worker.stop();
      worker = await infra();
    },
    joinCoordinator: startCoordinating,
    replaceCoordinator: async (shares = sharesImages) => {
      sharesImages = shares;
      await coordinator.stop();
      coordinator = await startCoordinating('c2');
    },
    leave,
    close: async () => {
      await leave();
      await emulator.stop();
      await servers.close();
    },
  };
}

/** A link of its own, for a service that is to lose its link. */
export const linkTo = ({ servers }: System, name: string): Promise<NatsLink> =>
  connectNats({
    url: servers.nats.url,
    user: servers.nats.user,
    password: new Secret(servers.nats.password),
    name,
    log: quiet,
  });

/** Registers the OpenStack as the default VIM, named `lab`; the VIM's id. */
export async function registerVim({ api, emulator }: { api: AxiosInstance; emulator: OpenStackAccess }): Promise<string> {
  const answer = await api.post('/v1.0/vims', { vim: openStackVim('lab', emulator, { is_default: true }) });
  if (answer.status !== 201) throw new Error(`the VIM was not registered: ${JSON.stringify(answer.data)}`);
  return (answer.data as { vim: { id: string } }).vim.id;
}

/** Builds a sample and onboards it; returns the package as the API shows it. */
export async function onboard(api: AxiosInstance, sample: string): Promise<JsonObject> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-csar-'));
  try {
    const file = join(folder, 'package.zip');
    await buildCsar(join(import.meta.dirname, '../../samples', sample), file);
    return await onboardZip(api, await readFile(file));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Onboards a package; returns it as the API shows it. */
export async function onboardZip(api: AxiosInstance, zip: Buffer): Promise<JsonObject> {
  const { data } = await api.post<{ id: string }>('/vnfpkgm/v1/vnf_packages', {});
  const upload = await api.put(`/vnfpkgm/v1/vnf_packages/${data.id}/package_content`, zip, {
    headers: { 'Content-Type': 'application/zip' },
  });
  if (upload.status !== 202) throw new Error(`upload: ${upload.status} ${JSON.stringify(upload.data)}`);
  return waitUntil(
    async (seen) => {
      const { data: shown } = await api.get<JsonObject>(`/vnfpkgm/v1/vnf_packages/${data.id}`);
      seen(JSON.stringify(shown));
      return shown.onboardingState === 'ONBOARDED' || shown.onboardingFailureDetails !== undefined ? shown : undefined;
    },
    { for: 'the package to be onboarded', within: seconds(60), every: millis(50) },
  );
}

/** Creates an instance, and does not instantiate it. Returns the instance's path. */
export async function createVnf(api: AxiosInstance, vnfdId: unknown, more: JsonObject = {}): Promise<string> {
  const created = await api.post('/vnflcm/v1/vnf_instances', { vnfdId, ...more });
  if (created.status !== 201) throw new Error(`not created: ${created.status} ${JSON.stringify(created.data)}`);
  return new URL(String(created.headers.location)).pathname;
}

/** The request body of a sample, with the emulator's network in it. */
export async function sampleRequest(name: string, networkId: string): Promise<JsonObject> {
  const text = await readFile(join(import.meta.dirname, '../../samples/requests', name), 'utf8');
  return JSON.parse(text.replaceAll('${NETWORK_ID}', networkId)) as JsonObject;
}

/** Waits until the operation of a 202 has come to rest; the operation occurrence. @param pathAt the path under which this client reads the occurrence */
export async function atRest(
  api: AxiosInstance,
  accepted: AxiosResponse<unknown>,
  within = seconds(30),
  pathAt = (path: string): string => path,
): Promise<JsonObject> {
  if (accepted.status !== 202) throw new Error(`not accepted: ${accepted.status} ${JSON.stringify(accepted.data)}`);
  const path = pathAt(new URL(String(accepted.headers.location)).pathname);
  return waitUntil(
    async (seen) => {
      const { data } = await api.get<JsonObject>(path);
      seen(JSON.stringify(data));
      return ['COMPLETED', 'FAILED_TEMP', 'ROLLED_BACK', 'FAILED'].includes(String(data.operationState)) ? data : undefined;
    },
    { for: `${path} to come to rest`, within, every: millis(50) },
  );
}

/** The warnings of an operation. */
export async function warningsOf(api: AxiosInstance, { id }: JsonObject): Promise<string[]> {
  const { status, data } = await api.get<{ warnings?: string[] }>(`/windlass/v1/operations/${String(id)}`);
  if (status !== 200) throw new Error(`no operation ${String(id)}: ${status} ${JSON.stringify(data)}`);
  return data.warnings ?? [];
}

/** The steps of an operation, for messages of tests. */
export async function stepsOf(system: System): Promise<unknown> {
  return system.database.query(
    'SELECT id, phase, state, epoch, attempt, progress, error, blocked_on, lease_until, clock_timestamp() AS now FROM lcm.step ORDER BY operation_id, seq',
  );
}
