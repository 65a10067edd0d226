import { randomBytes } from 'node:crypto';
import { startTestServers, type TestServers } from '@windlass/embedded/testing';
import { Secret, seconds } from '@windlass/foundation';
import {
  announceContract,
  AnnouncementServer,
  connectNats,
  CoreKeys,
  DriverAsker,
  DriverService,
  KeyPair,
  KnownKeys,
  RequestServer,
  type NatsLink,
} from '@windlass/messaging';
import type { DriverDescription, HookContext, ManagementDriver } from '@windlass/mgmt-driver';
import { connectDatabase, migrate, PgDrivers, PgEnrolments } from '@windlass/persistence';
import { sequence, type Plan } from '@windlass/saga';
import type { DataSource } from 'typeorm';
import { newToken } from '../../support/enrolment.js';
import { MemoryLog } from '../../support/memory-log.js';

/** A description of a driver whose service has the driver's name. */
export const describes = (driver: string, more: Partial<DriverDescription> = {}): DriverDescription => ({
  contract: 2,
  driver,
  version: '1.0.0',
  service: driver,
  hooks: ['scale_end'],
  actions: [],
  parameters: {},
  ...more,
});

/** A plan that says who made it. */
export const planBy = (driver: string, version = '1.0.0'): Plan => ({ madeBy: { driver, version }, root: sequence() });

/** The context that a coordinator sends to a driver. The id makes requests differ. */
export const contextOf = (operationId: string): HookContext => ({
  hook: 'scale_end',
  operationId,
  tenant: 't',
  vnfInstanceId: 'i',
  vnfInstanceName: 'n',
  flavourId: 'f',
  vnfPkgId: 'p',
  instantiateParams: {},
  requestParams: {},
  request: {},
  vnfcs: [],
  affectedVnfcs: [],
  sharedCps: [],
  files: [],
});

/** Real PostgreSQL with the lists of keys and drivers, and real NATS on which every user may publish and hear everything: only proofs identify the sender. */
export class DriverBench {
  readonly masterKeys = [randomBytes(32)];
  readonly log = new MemoryLog();
  readonly #links: NatsLink[] = [];
  readonly #ends: (() => Promise<void>)[] = [];
  link!: NatsLink;

  private constructor(
    private readonly servers: TestServers,
    readonly database: DataSource,
  ) {}

  static async start(): Promise<DriverBench> {
    const servers = await startTestServers();
    const database = await connectDatabase({ url: servers.postgres.url, applicationName: 'test', poolSize: 6 });
    await migrate(database);
    const bench = new DriverBench(servers, database);
    bench.link = await bench.linkOf('core');
    return bench;
  }

  async close(): Promise<void> {
    for (const end of this.#ends) await end();
    await Promise.all(this.#links.map((link) => link.close()));
    await this.database.destroy();
    await this.servers.close();
  }

  get enrolments(): PgEnrolments {
    return new PgEnrolments(this.database);
  }

  get drivers(): PgDrivers {
    return new PgDrivers(this.database);
  }

  async linkOf(name: string): Promise<NatsLink> {
    const { url, user, password } = this.servers.nats;
    const options = { url, user, password: new Secret(password), name, log: this.log };
    const link = await connectNats({ ...options, within: seconds(30) });
    this.#links.push(link);
    return link;
  }

  /** Makes a key, and enrols it for a service. */
  async enrolledKey(service: string): Promise<KeyPair> {
    const keys = KeyPair.generate();
    const { id, x: publicKey } = keys.public;
    const token = await newToken(this.database, this.masterKeys, { service });
    await this.enrolments.enrol({ id, service, publicKey, worker: service }, token.id);
    return keys;
  }

  /** The asking side of a coordinator with these master keys. */
  asker(masterKeys: readonly Buffer[] = this.masterKeys): DriverAsker {
    return new DriverAsker({ link: this.link, coreKeys: new CoreKeys(masterKeys), enrolments: this.enrolments, log: this.log });
  }

  /** Serves a driver over its own link. An `unannounced` driver is never admitted, and so never announces itself. */
  async serve(driver: ManagementDriver, keys: KeyPair, how?: 'unannounced'): Promise<DriverService> {
    const link = await this.linkOf(driver.describe().driver);
    const never = new Promise<void>(() => undefined);
    const enrolment = { keys, admitted: () => (how === undefined ? undefined : never) };
    const service = new DriverService({ link, driver, enrolment, log: this.log }).start();
    this.#ends.push(() => service.stop());
    await link.flushed();
    return service;
  }

  /** Serves announcements as lcm-api does, with these master keys. */
  async hearAnnouncements(masterKeys: readonly Buffer[] = this.masterKeys): Promise<RequestServer> {
    const known = new KnownKeys(this.enrolments);
    const server = new AnnouncementServer(this.drivers, known, new CoreKeys(masterKeys), this.log);
    const serving = new RequestServer(this.link, 'lcm-api', this.log);
    serving.serve(announceContract, (message) => server.announced(message));
    this.#ends.push(() => serving.drain());
    await this.link.flushed();
    return serving;
  }
}
