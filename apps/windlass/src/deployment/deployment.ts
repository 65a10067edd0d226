import { minutes, type Duration } from '@windlass/foundation';
import { setMaxListeners } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inherited, ONE_PROCESS_VARIABLE } from '../surroundings/config.js';
import { ApiPort } from './api-port.js';
import { NODE_ARGUMENTS, ONE_PROCESS_ARGUMENTS } from './node-arguments.js';
import { OwnServers } from './own-servers.js';
import { processNames, type Replicas } from './replicas.js';
import { ONE_PROCESS, servicePrograms } from './service-program.js';
import { deploymentSecrets, type DeploymentSecrets } from './secrets-file.js';
import { isEnrolled, SERVICES, type DeployedService } from './services.js';
import { SupervisedProcess, type ProcessSpec } from './supervised-process.js';

export interface DeploymentOptions {
  /** The project's folder, with the built services. */
  home: string;
  /** Everything that is kept lies here. */
  dataDir: string;
  /** Of the REST API; 0: a free one. */
  port: number;
  /** Where clients find the REST API; where it listens, on loopback, by default. */
  publicUrl?: string;
  /** Given ones instead of our own. */
  databaseUrl?: string;
  natsUrl?: string;
  /** Syncs to disk as an operator wants it; a demo does without. */
  durable: boolean;
  /** Environment of services beside what is always set: the same for all, or by the service's name. */
  environment?: Readonly<Record<string, string>> | ((service: string) => Readonly<Record<string, string>>);
  /** Environment of each process itself, whatever services it has: what Node reads before any of our code. */
  processEnvironment?: Readonly<Record<string, string>>;
  /** All services in one process instead of one each. */
  oneProcess?: boolean;
  /** How many processes a service has; one where it is not named. With `oneProcess`, and of lcm-api, there is one. */
  replicas?: Replicas;
  /** Programs in the place of services' own, by the service's name: a proof puts in one that takes known times. With `oneProcess` there are none. */
  programs?: Readonly<Record<string, string>>;
  say: (line: string) => void;
  signal?: AbortSignal;
}

/** How long a service may take to start, two cores and all the others starting too, and other people’s work beside them. */
const START_WITHIN: Duration = minutes(3);

/** PostgreSQL, NATS, and a process a service, each under a supervisor that starts it again. */
export class Deployment {
  #stopped: Promise<void> | undefined;

  private constructor(
    /** `http://127.0.0.1:<port>` of the REST API. */
    readonly url: string,
    readonly secrets: DeploymentSecrets,
    readonly processes: readonly SupervisedProcess[],
    /** PostgreSQL and NATS, where they are our own. */
    readonly servers: OwnServers,
  ) {}

  static async start(options: DeploymentOptions): Promise<Deployment> {
    const { dataDir, say, signal } = options;
    await mkdir(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
    const secrets = await deploymentSecrets(dataDir);
    const port = await ApiPort.choose(options.port);
    const began: (() => Promise<unknown>)[] = [];
    try {
      const servers = await OwnServers.start(options, secrets);
      began.push(() => servers.stop());
      const { publicUrl } = options;
      const places = {
        databaseUrl: servers.databaseUrl,
        natsUrl: servers.natsUrl,
        ...(publicUrl === undefined ? {} : { publicUrl }),
      };
      const processes = programsOf(options, (service) => ({
        ...environmentOf(service, secrets, { ...places, port: port.number }),
        ...(typeof options.environment === 'function' ? options.environment(service.name) : options.environment),
      })).map(
        (program) =>
          new SupervisedProcess({
            ...program,
            logFile: join(dataDir, 'logs', `${program.name}.log`),
            say,
            afterFailure: (failure) => port.afterFailure(failure),
          }),
      );
      began.push(() => Promise.all(processes.map((process) => process.stop())));
      // Each process is waited for with it; Node warns from eleven on.
      if (signal !== undefined) setMaxListeners(processes.length + 10, signal);
      await Promise.all(processes.map((process) => process.started(START_WITHIN, signal)));
      await Promise.all(processes.map((process) => process.ready(START_WITHIN, signal)));
      return new Deployment(`http://127.0.0.1:${port.tell()}`, secrets, processes, servers);
    } catch (error) {
      for (const end of began.reverse()) await end();
      throw error;
    }
  }

  /**
   * Services first, then what they stand on.
   * @param within how long services may take to end what they do, before they are ended by force
   */
  stop(within?: Duration): Promise<void> {
    this.#stopped ??= this.#stop(within);
    return this.#stopped;
  }

  async #stop(within?: Duration): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop(within)));
    await this.servers.stop();
  }
}

/** @internal The processes that services run in: each its own, or one for all. */
export function programsOf(
  {
    home,
    oneProcess,
    programs,
    processEnvironment,
    replicas,
  }: Pick<DeploymentOptions, 'home' | 'oneProcess' | 'programs' | 'processEnvironment' | 'replicas'>,
  environment: (service: DeployedService) => Record<string, string>,
): Pick<ProcessSpec, 'name' | 'services' | 'program' | 'nodeArguments' | 'environment'>[] {
  const programOf = servicePrograms(home);
  if (oneProcess !== true) {
    return SERVICES.flatMap((service) =>
      processNames(service.name, replicas).map((name) => ({
        name,
        services: [service.name],
        program: programs?.[service.name] ?? programOf(service.name),
        nodeArguments: NODE_ARGUMENTS,
        environment: () => ({ ...environment(service), ...processEnvironment }),
      })),
    );
  }
  const environments = () => JSON.stringify(Object.fromEntries(SERVICES.map((service) => [service.name, environment(service)])));
  return [
    {
      name: 'services',
      services: SERVICES.map(({ name }) => name),
      program: programOf(ONE_PROCESS),
      nodeArguments: ONE_PROCESS_ARGUMENTS,
      environment: () => ({ ...inherited(), [ONE_PROCESS_VARIABLE]: environments(), ...processEnvironment }),
    },
  ];
}

/** Where the services find what they stand on. */
export interface Places {
  databaseUrl: string;
  natsUrl: string;
  port: number;
  /** Where clients find the REST API; where it listens by default. */
  publicUrl?: string;
}

/** What a service of the deployment is told. */
export function environmentOf(
  service: DeployedService,
  secrets: DeploymentSecrets,
  { databaseUrl, natsUrl, port, publicUrl }: Places,
): Record<string, string> {
  const { name, core } = service;
  return {
    ...inherited(),
    NATS_URL: natsUrl,
    NATS_USER: name,
    NATS_PASSWORD_FILE: secrets.natsPasswordFiles[name] ?? '',
    ...(core ? { DATABASE_URL: databaseUrl, MASTER_KEY_FILE: secrets.masterKeyFile } : {}),
    ...(isEnrolled(service)
      ? { WORKER_KEY_FILE: join(secrets.keyFolder, `${name}.key`), ENROLMENT_TOKEN_FILE: secrets.enrolmentTokenFiles[name] ?? '' }
      : {}),
    ...(name === 'saga-coordinator'
      ? // An NFVO that is asked for grants is told where it finds this VNFM.
        { ENROLMENT_TOKENS_FILE: secrets.enrolmentTokensFile, WINDLASS_PUBLIC_URL: publicUrl ?? `http://127.0.0.1:${port}` }
      : {}),
    ...(name === 'lcm-api' ? { LCM_TOKEN_FILE: secrets.tokenFile, LCM_PORT: String(port) } : {}),
    ...(name === 'lcm-api' && publicUrl !== undefined ? { WINDLASS_PUBLIC_URL: publicUrl } : {}),
  };
}
