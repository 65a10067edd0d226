import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import axios, { type AxiosInstance } from 'axios';
import { startNats, startPostgres, type NatsUser, type RunningNats, type RunningPostgres } from '@windlass/embedded';
import { millis, minutes, waitUntil, type Duration, type JsonObject } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';
import { OpenStackEmulator } from '@windlass/lab';
import { buildCsar } from '@windlass/vnf-package';
import {
  ApiClient,
  Deployment,
  deploymentSecrets,
  environmentOf,
  natsUsersOf,
  SERVICES,
  servicePrograms,
  SupervisedProcess,
  type Replicas,
} from '@windlass/windlass';
import { rigFolder } from '../../support/rig-folder.js';
import type { Network } from './network.js';

const HOME = join(import.meta.dirname, '../../..');
/** The limit for an operation of one VM: it takes well under a second, and longer on two busy cores. */
const REST_WITHIN = minutes(3);
const LOOK_EVERY = millis(25);

export interface RigOptions {
  /** The lease of a claimed step, as `ENGINE_LEASE` takes it. */
  lease: string;
  /** More environment of a service, by the service's name. */
  environment?: (service: string) => Readonly<Record<string, string>>;
  /** The proxies between services and their servers; without them, services connect directly. */
  network?: Network;
  /** Where the data of PostgreSQL and of NATS lie; in the rig's folder by default. */
  postgresDir?: string;
  natsDir?: string;
  /** Whether the deployment starts and supervises PostgreSQL and NATS, as `./windlass up` does; by default the rig starts them, and only the test restarts them. */
  ownServers?: boolean;
  /** The number of processes of each service; one by default. */
  replicas?: Replicas;
  /** Takes each line of the deployment. */
  say?: (line: string) => void;
}

interface Servers {
  postgres: RunningPostgres;
  nats: RunningNats;
}

/** The real thing: a process a service over PostgreSQL and NATS of its own, and an OpenStack in this process that tells what it was asked. */
export class Rig {
  readonly #replicas: SupervisedProcess[] = [];

  private constructor(
    private readonly options: RigOptions,
    readonly folder: string,
    private readonly servers: Servers | undefined,
    readonly emulator: OpenStackEmulator,
    readonly deployment: Deployment,
    readonly vnfdId: string,
  ) {}

  static async start(options: RigOptions): Promise<Rig> {
    const folder = await rigFolder('windlass-hazards-');
    const began: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
    try {
      const secrets = await deploymentSecrets(join(folder, 'data'));
      const [servers, emulator] = await Promise.all([
        options.ownServers === true ? undefined : startServers(options, folder, natsUsersOf(secrets.natsPasswords)),
        OpenStackEmulator.start({
          speed: 'instant',
          ...(options.network === undefined ? {} : { reachedBy: options.network.toOpenStack }),
        }),
      ]);
      began.push(() => Promise.all([emulator.stop(), servers?.nats.stop(), servers?.postgres.stop()]));
      if (servers !== undefined) await options.network?.build(servers.postgres.port, servers.nats.port);
      else if (options.natsDir !== undefined) {
        await mkdir(options.natsDir);
        await symlink(options.natsDir, join(folder, 'data/nats'));
      }
      const deployment = await Deployment.start({
        home: HOME,
        dataDir: join(folder, 'data'),
        port: 0,
        ...(servers === undefined ? {} : { databaseUrl: servers.postgres.url, natsUrl: servers.nats.url }),
        durable: true,
        ...(options.replicas === undefined ? {} : { replicas: options.replicas }),
        environment: (service) => environmentFor(options, service, servers?.postgres.url ?? ''),
        say: options.say ?? evidence.log('deployment'),
      });
      began.push(() => deployment.stop());
      const api = new ApiClient(deployment.url, deployment.secrets.token);
      await registerVim(api, emulator);
      const vnfdId = await onboardSample(api, join(folder, 'package.zip'));
      return new Rig(options, folder, servers, emulator, deployment, vnfdId);
    } catch (error) {
      await evidence.setAside(folder);
      for (const end of began.reverse()) await end();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.stop()));
    await this.deployment.stop();
    await Promise.all([this.emulator.stop(), this.servers?.nats.stop(), this.servers?.postgres.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  get postgres(): RunningPostgres {
    return this.#ours.postgres;
  }

  get nats(): RunningNats {
    return this.#ours.nats;
  }

  get #ours(): Servers {
    if (this.servers === undefined) throw new Error('the servers are the deployment’s');
    return this.servers;
  }

  get api(): ApiClient {
    return new ApiClient(this.deployment.url, this.deployment.secrets.token);
  }

  /** A client that does not throw on an error status. */
  get http(): AxiosInstance {
    return axios.create({
      baseURL: this.deployment.url,
      headers: { 'X-Auth-Token': this.deployment.secrets.token },
      validateStatus: () => true,
      proxy: false,
    });
  }

  /** Starts PostgreSQL again on what it left, in the same place. */
  async startPostgresAgain(): Promise<void> {
    const { port } = this.postgres;
    this.#ours.postgres = await startPostgres({
      dataDir: this.options.postgresDir ?? join(this.folder, 'postgres'),
      port,
      durable: true,
      log: () => undefined,
    });
  }

  /** Starts NATS again on what it left, in the same place. */
  async startNatsAgain(): Promise<void> {
    const users = natsUsersOf(this.deployment.secrets.natsPasswords);
    this.#ours.nats = await startNats({
      dataDir: this.options.natsDir ?? join(this.folder, 'nats'),
      port: this.nats.port,
      users,
      log: () => undefined,
    });
  }

  service(name: string): SupervisedProcess {
    const found = this.deployment.processes.find((process) => process.name === name);
    if (found === undefined) throw new Error(`the deployment has no ${name}`);
    return found;
  }

  /** All processes of a service, with the added replicas. */
  all(name: string): SupervisedProcess[] {
    return [this.service(name), ...this.#replicas.filter((replica) => replica.name === name)];
  }

  /** Waits until a killed service runs again and is ready. */
  async backAgain(service: SupervisedProcess): Promise<void> {
    await service.started(REST_WITHIN);
    await service.ready(REST_WITHIN);
  }

  /** Starts one more process of a service, with the same environment. */
  async addReplica(name: string): Promise<SupervisedProcess> {
    const service = SERVICES.find((each) => each.name === name);
    if (service === undefined) throw new Error(`there is no service ${name}`);
    const { databaseUrl, natsUrl } = this.deployment.servers;
    const places = { databaseUrl, natsUrl, port: 0 };
    const replica = new SupervisedProcess({
      name,
      services: [name],
      program: servicePrograms(HOME)(name),
      environment: {
        ...environmentOf(service, this.deployment.secrets, places),
        ...environmentFor(this.options, name, databaseUrl),
      },
      logFile: join(this.folder, 'data/logs', `${name}-${this.#replicas.length + 2}.log`),
      say: () => undefined,
    });
    this.#replicas.push(replica);
    await this.backAgain(replica);
    return replica;
  }

  /** Creates an instance. Returns the instance's path. */
  async createVnf(name = 'one'): Promise<string> {
    const { id } = await this.api.post<{ id: string }>('/vnflcm/v1/vnf_instances', {
      vnfdId: this.vnfdId,
      vnfInstanceName: name,
    });
    return `/vnflcm/v1/vnf_instances/${id}`;
  }

  /** Asks for an instantiation. Returns the path of the operation occurrence. */
  async instantiate(vnf: string): Promise<string> {
    return this.api.accept(`${vnf}/instantiate`, await instantiateRequest());
  }

  terminate(vnf: string): Promise<string> {
    return this.api.accept(`${vnf}/terminate`, { terminationType: 'FORCEFUL' });
  }

  /** Waits until the operation has come to rest, however often the API is away. Returns the operation occurrence. */
  atRest(opOcc: string, within: Duration = REST_WITHIN): Promise<JsonObject> {
    return this.api.follow(opOcc, within, () => undefined);
  }

  /** Waits for the operation's end. @throws Error with the steps, where the operation is not COMPLETED */
  async completed(opOcc: string, within?: Duration): Promise<JsonObject> {
    const ended = await this.atRest(opOcc, within);
    if (ended.operationState === 'COMPLETED') return ended;
    throw new Error(`${JSON.stringify(ended)}\n${JSON.stringify(await this.steps(opOcc))}`);
  }

  steps(opOcc: string) {
    return this.api.get<{ id: string; state: string; phase: string; owner: string | null; attempt: number }[]>(
      `/windlass/v1/operations/${idOf(opOcc)}/steps`,
    );
  }

  /** The replica that has claimed a step; empty when none has. */
  async ownerOf(opOcc: string, stepId: string): Promise<string> {
    return (await this.steps(opOcc)).find(({ id }) => id === stepId)?.owner ?? '';
  }

  async stepState(opOcc: string, stepId: string, state: string): Promise<void> {
    await this.until(`${stepId} to be ${state}`, async () =>
      (await this.steps(opOcc)).some((step) => step.id === stepId && step.state === state),
    );
  }

  /** Waits until a condition holds. */
  until(what: string, isSo: () => boolean | Promise<boolean>): Promise<true> {
    return waitUntil(async () => ((await isSo()) ? true : undefined), { for: what, within: REST_WITHIN, every: LOOK_EVERY });
  }

  /** Waits until the VIM has got no request for so long. */
  async quiet(time: Duration): Promise<void> {
    const begun = Date.now();
    await this.until('the VIM to be left alone', () => {
      const last = this.emulator.requests.at(-1);
      return Date.now() - Math.max(begun, last === undefined ? 0 : last.at + last.took) > time;
    });
  }

  /** Waits until the instance's stack has this status in the VIM. */
  async stack(vnf: string, status: string): Promise<void> {
    await waitUntil(
      (seen) => {
        const stacks = this.emulator.inventory().flatMap((project) => project.stacks);
        seen(JSON.stringify(stacks));
        const found = stacks.find(({ name }) => name === stackNameOf(vnf))?.status;
        return Promise.resolve(found === status ? true : undefined);
      },
      { for: `stack ${stackNameOf(vnf)} to be ${status}`, within: REST_WITHIN, every: LOOK_EVERY },
    );
  }

  /** Delays the next work on the instance's stack, `times` times. */
  slow(vnf: string, delay: Duration, times: number | 'always' = 1): void {
    this.emulator.faults.add({ kind: 'slow-stack', delayMs: delay, stackName: stackNameOf(vnf), times });
  }

  /** The number of requests for a new stack that the VIM has got. */
  stacksAskedFor(): number {
    return this.emulator.count('POST', /\/stacks$/);
  }

  /** The number of stacks that the VIM has made, whether the answer arrived or not. */
  stacksMade(): number {
    const asked = this.emulator.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/stacks'));
    return asked.filter(({ status }) => status === 201 || status === 0).length;
  }

  /** Everything in the VIM, as JSON. */
  inventory(): string {
    return JSON.stringify(this.emulator.inventory());
  }
}

async function startServers({ postgresDir, natsDir }: RigOptions, folder: string, users: readonly NatsUser[]): Promise<Servers> {
  const log = evidence.log('postgres-and-nats');
  const [postgres, nats] = await Promise.all([
    startPostgres({ dataDir: postgresDir ?? join(folder, 'postgres'), durable: true, log }),
    startNats({ dataDir: natsDir ?? join(folder, 'nats'), users, log }),
  ]);
  return { postgres, nats };
}

export const idOf = (path: string): string => path.split('/').at(-1) ?? '';
export const stackNameOf = (vnf: string): string => `vnf-${idOf(vnf)}`;

const signaller =
  (signal: NodeJS.Signals) =>
  ({ pid, name }: SupervisedProcess): void => {
    if (pid === undefined) throw new Error(`${name} has no process`);
    process.kill(pid, signal);
  };

/** Kills one process, as a crash would. */
export const killHard = signaller('SIGKILL');
/** Tells a process to stop in order; the supervisor starts it again. */
export const tellToStop = signaller('SIGTERM');
/** Stops a process until {@link resumeProcess}: for the process, no time passes. */
export const pauseProcess = signaller('SIGSTOP');
export const resumeProcess = signaller('SIGCONT');

const environmentFor = (
  { lease, environment, network }: RigOptions,
  service: string,
  databaseUrl: string,
): Record<string, string> => ({
  ENGINE_LEASE: lease,
  // A busy machine renews late now and then, and each late renewal is a loss. A test about losses sets its own limit.
  ENGINE_MAX_LOSSES: '20',
  STACK_ABSENT_FOR: '1s',
  VIM_ALLOW: '127.0.0.0/8',
  ...network?.environment(service, databaseUrl),
  ...environment?.(service),
});

export async function instantiateRequest(): Promise<JsonObject> {
  const text = await readFile(join(HOME, 'samples/requests/instantiate-simple-vm.json'), 'utf8');
  return JSON.parse(text.replaceAll('${NETWORK_ID}', 'net0')) as JsonObject;
}

/** Registers the emulator under a name. */
export async function registerVim(
  api: ApiClient,
  emulator: OpenStackEmulator,
  { name, isDefault } = { name: 'lab', isDefault: true },
): Promise<void> {
  await api.post('/v1.0/vims', {
    vim: {
      name,
      type: 'openstack',
      auth_url: emulator.url,
      is_default: isDefault,
      vim_project: { name: emulator.tenant.project, project_domain_name: 'Default' },
      auth_cred: {
        username: emulator.tenant.user,
        password: emulator.tenant.password,
        user_domain_name: 'Default',
        cert_verify: 'True',
      },
    },
  });
}

async function onboardSample(api: ApiClient, file: string): Promise<string> {
  await buildCsar(join(HOME, 'samples/simple-vm'), file);
  const { vnfdId } = await api.onboard(file);
  return String(vnfdId);
}
