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
/** An operation of one VM takes well under a second; two cores that do something else meanwhile take longer. */
const REST_WITHIN = minutes(3);
const LOOK_EVERY = millis(25);

export interface RigOptions {
  /** How long a claimed step is a worker's without renewal, as `ENGINE_LEASE` takes it. */
  lease: string;
  /** Environment of services beside that, by their names. */
  environment?: (service: string) => Readonly<Record<string, string>>;
  /** Roads of its own between each service and what it stands on. */
  network?: Network;
  /** PostgreSQL's and NATS' data lie there instead of in the rig's folder. */
  postgresDir?: string;
  natsDir?: string;
  /** The deployment's own PostgreSQL and NATS, which it supervises, as under `./windlass up`; otherwise the rig's, which nobody starts again. */
  ownServers?: boolean;
  /** How many processes services have; one by default. */
  replicas?: Replicas;
  /** Told each line that the deployment says. */
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

  /** For answers that are refusals. */
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

  /** All processes of a service, the added ones too. */
  all(name: string): SupervisedProcess[] {
    return [this.service(name), ...this.#replicas.filter((replica) => replica.name === name)];
  }

  /** Waits until a service that was killed has been started again and is ready. */
  async backAgain(service: SupervisedProcess): Promise<void> {
    await service.started(REST_WITHIN);
    await service.ready(REST_WITHIN);
  }

  /** Starts one more process of a service; it is told what the first one is told. */
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

  /** Creates an instance; its path. */
  async createVnf(name = 'one'): Promise<string> {
    const { id } = await this.api.post<{ id: string }>('/vnflcm/v1/vnf_instances', {
      vnfdId: this.vnfdId,
      vnfInstanceName: name,
    });
    return `/vnflcm/v1/vnf_instances/${id}`;
  }

  /** Asks for an instantiation; the path of its operation occurrence. */
  async instantiate(vnf: string): Promise<string> {
    return this.api.accept(`${vnf}/instantiate`, await instantiateRequest());
  }

  terminate(vnf: string): Promise<string> {
    return this.api.accept(`${vnf}/terminate`, { terminationType: 'FORCEFUL' });
  }

  /** The operation occurrence when it has come to rest, however often the API is away meanwhile. */
  atRest(opOcc: string, within: Duration = REST_WITHIN): Promise<JsonObject> {
    return this.api.follow(opOcc, within, () => undefined);
  }

  /** Asks for it, waits for its end, and throws when it ends otherwise than well. */
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

  /** The replica that works on a step now; empty when nobody does. */
  async ownerOf(opOcc: string, stepId: string): Promise<string> {
    return (await this.steps(opOcc)).find(({ id }) => id === stepId)?.owner ?? '';
  }

  async stepState(opOcc: string, stepId: string, state: string): Promise<void> {
    await this.until(`${stepId} to be ${state}`, async () =>
      (await this.steps(opOcc)).some((step) => step.id === stepId && step.state === state),
    );
  }

  /** Waits until it is so. */
  until(what: string, isSo: () => boolean | Promise<boolean>): Promise<true> {
    return waitUntil(async () => ((await isSo()) ? true : undefined), { for: what, within: REST_WITHIN, every: LOOK_EVERY });
  }

  /** Waits until the VIM has not been asked anything for so long. */
  async quiet(time: Duration): Promise<void> {
    const begun = Date.now();
    await this.until('the VIM to be left alone', () => {
      const last = this.emulator.requests.at(-1);
      return Date.now() - Math.max(begun, last === undefined ? 0 : last.at + last.took) > time;
    });
  }

  /** Waits until the VIM has the stack of the instance in this status. */
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

  /** Every stack whose work begins from now on takes so long before it begins, as often as said. */
  slow(vnf: string, delay: Duration, times: number | 'always' = 1): void {
    this.emulator.faults.add({ kind: 'slow-stack', delayMs: delay, stackName: stackNameOf(vnf), times });
  }

  /** How often the VIM has been asked for a stack since it was started. */
  stacksAskedFor(): number {
    return this.emulator.count('POST', /\/stacks$/);
  }

  /** How many stacks it has made: requests that it granted, answered or not. */
  stacksMade(): number {
    const asked = this.emulator.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/stacks'));
    return asked.filter(({ status }) => status === 201 || status === 0).length;
  }

  /** All that there is in the VIM. */
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

/** Ends exactly that process as a crash would. */
export const killHard = signaller('SIGKILL');
/** Tells it to stop in order; its supervisor starts it again. */
export const tellToStop = signaller('SIGTERM');
/** Takes the processor from it until {@link resumeProcess}: to itself, no time passes. */
export const pauseProcess = signaller('SIGSTOP');
export const resumeProcess = signaller('SIGCONT');

const environmentFor = (
  { lease, environment, network }: RigOptions,
  service: string,
  databaseUrl: string,
): Record<string, string> => ({
  ENGINE_LEASE: lease,
  // On a busy machine a renewal is late now and then, and late is lost: where losses are what a test is about, it says how many.
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
