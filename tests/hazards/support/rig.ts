import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import axios, { type AxiosInstance } from 'axios';
import type { RunningNats, RunningPostgres } from '@windlass/embedded';
import { millis, minutes, waitUntil, type Duration, type JsonObject } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';
import type { OpenStackEmulator } from '@windlass/lab';
import { SHARED_IMAGE_TAG } from '@windlass/lifecycle';
import { buildCsar } from '@windlass/vnf-package';
import {
  ApiClient,
  Deployment,
  environmentOf,
  SERVICES,
  servicePrograms,
  NODE_ARGUMENTS,
  SupervisedProcess,
  type Replicas,
} from '@windlass/windlass';
import { BackingServices } from '../../support/backing-services.js';
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

/** The services as processes over an own PostgreSQL and NATS, and an OpenStack in this process that records its requests. */
export class Rig {
  readonly #replicas: SupervisedProcess[] = [];

  private constructor(
    private readonly options: RigOptions,
    private readonly backing: BackingServices,
    readonly deployment: Deployment,
    readonly vnfdId: string,
  ) {}

  static start(options: RigOptions): Promise<Rig> {
    return BackingServices.under('windlass-hazards-', async (backing) => {
      const { network, ownServers = false } = options;
      await backing.startOpenStack(network === undefined ? {} : { reachedBy: network.toOpenStack });
      if (!ownServers) {
        await backing.startServers(options);
        await network?.build(backing.postgres.port, backing.nats.port);
      } else if (options.natsDir !== undefined) {
        await mkdir(options.natsDir);
        await symlink(options.natsDir, join(backing.dataDir, 'nats'));
      }
      const databaseUrl = ownServers ? '' : backing.postgres.url;
      const deployment = await Deployment.start({
        home: HOME,
        dataDir: backing.dataDir,
        port: 0,
        ...(ownServers ? {} : { databaseUrl, natsUrl: backing.nats.url }),
        durable: true,
        ...(options.replicas === undefined ? {} : { replicas: options.replicas }),
        environment: (service) => environmentFor(options, service, databaseUrl),
        say: options.say ?? evidence.log('deployment'),
      });
      backing.endFirst(() => deployment.stop());
      const api = new ApiClient(deployment.url, deployment.secrets.token);
      await backing.registerOpenStack(api);
      const vnfdId = await onboardSample(api, join(backing.folder, 'package.zip'));
      const rig = new Rig(options, backing, deployment, vnfdId);
      backing.endFirst(() => Promise.all(rig.#replicas.map((replica) => replica.stop())));
      return rig;
    });
  }

  close(): Promise<void> {
    return this.backing.close();
  }

  get folder(): string {
    return this.backing.folder;
  }

  get emulator(): OpenStackEmulator {
    return this.backing.emulator;
  }

  get postgres(): RunningPostgres {
    return this.backing.postgres;
  }

  get nats(): RunningNats {
    return this.backing.nats;
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

  /** Starts PostgreSQL on what the killed server left, in the same place. */
  startPostgresAgain(): Promise<void> {
    return this.backing.startPostgresAgain();
  }

  /** Starts NATS in the place of the killed server, with its streams or `wiped`, without. */
  async startNatsAgain({ wiped }: { wiped: boolean } = { wiped: false }): Promise<void> {
    if (wiped) await this.backing.wipeStreams();
    await this.backing.startNatsAgain();
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
      nodeArguments: NODE_ARGUMENTS,
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

  /** As `inventory`, once a clean-up has taken the shared image of earlier tests. Not where an instance without a stack may still refer to one: it would stay. */
  async settledInventory(): Promise<string> {
    await this.until('the images that instances shared to go with the last of them', () =>
      this.emulator
        .inventory()
        .every(({ stacks, images }) => stacks.length > 0 || images.every(({ tags }) => !tags.includes(SHARED_IMAGE_TAG))),
    );
    return this.inventory();
  }

  /** Waits until the VIM has what it had: an image that instances have shared goes by a clean-up, a moment after their operation. */
  async hasAgain(before: string): Promise<void> {
    await waitUntil(
      (seen) => {
        const now = this.inventory();
        seen(now);
        return Promise.resolve(now === before ? true : undefined);
      },
      { for: `the VIM to have what it had: ${before}`, within: REST_WITHIN, every: LOOK_EVERY },
    );
  }
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

async function onboardSample(api: ApiClient, file: string): Promise<string> {
  await buildCsar(join(HOME, 'samples/simple-vm'), file);
  const { vnfdId } = await api.onboard(file);
  return String(vnfdId);
}
