import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { ApiClient } from '@windlass/windlass';
import { podmanCompose } from './podman-compose.js';
import type { PodmanStore } from './podman-store.js';

const run = promisify(execFile);
const HEALTHY_WITHIN = minutes(10);

/** The part of `podman inspect` that tests read. */
export interface Inspected {
  Name: string;
  RestartCount: number;
  State: { Status: string; Pid: number; StartedAt: string; ExitCode: number };
  Config: { User: string; Labels: Record<string, string>; Healthcheck?: { Test?: string[] } };
  HostConfig: {
    ReadonlyRootfs: boolean;
    /** Null for a port that the image names and that is not published. */
    PortBindings: Record<string, { HostIp: string; HostPort: string }[] | null>;
    CapDrop: string[];
  };
  NetworkSettings: { Networks: Record<string, { IPAddress: string }> };
}

/** The containers of a folder's docker-compose.yml, in podman. */
export class Composed {
  private constructor(
    private readonly store: PodmanStore,
    private readonly folder: string,
    private readonly compose: { command: string[]; env: NodeJS.ProcessEnv },
  ) {}

  /** @param home the folder with the build that deploy/make-secrets.mjs reads */
  static async prepare(store: PodmanStore, home: string, folder: string): Promise<Composed> {
    await mkdir(join(folder, 'deploy/secrets'), { recursive: true, mode: 0o700 });
    await run(process.execPath, [join(home, 'deploy/make-secrets.mjs'), join(folder, 'deploy/secrets')]);
    const { command, env } = await podmanCompose(store);
    return new Composed(store, folder, { command, env: { ...env, WINDLASS_INSIDE: `${freeNetwork(213)}.0/24` } });
  }

  /** Starts all containers, and waits until each is healthy. */
  async up(): Promise<void> {
    await this.#compose('up', '--detach', '--no-build').catch(async (error: unknown) => {
      throw new Error(`${String(error)}; what ended says\n${await this.#endedBadly()}`, { cause: error });
    });
    for (const [service] of await this.inspected()) await this.healthy(service);
  }

  /**
   * Types commands of a guide in the folder of docker-compose.yml, in one shell, so that functions of one line exist in the next. Podman is in Docker's place,
   * nothing is built, and `--wait` is done here. @returns the output of the commands
   */
  async typed(commands: string): Promise<string> {
    const { command, env } = this.compose;
    const quoted = command.map((word) => `'${word}'`).join(' ');
    const docker = `docker() { if [ "$1" = compose ]; then shift; ${quoted} "$@"; else podman "$@"; fi; }`;
    const functions = [docker];
    const printed: string[] = [];
    for (const line of commands.split('\n').filter((one) => one.trim() !== '')) {
      if (/^\w+\(\) /.test(line)) functions.push(line);
      const words = line.replace('compose up -d', 'compose up -d --no-build').replace(' --wait', '');
      const script = [...functions, words].join('\n');
      printed.push(await this.store.run('bash', ['-euc', script], { cwd: this.folder, env, within: minutes(15) }));
      if (line.includes(' --wait')) for (const [service] of await this.inspected()) await this.healthy(service);
    }
    return printed.join('');
  }

  /** Removes containers and networks; volumes stay. */
  async down(): Promise<void> {
    await this.#compose('down');
  }

  async #compose(...args: string[]): Promise<string> {
    const { command, env } = this.compose;
    const [program = '', ...words] = command;
    return this.store.run(program, [...words, ...args], { cwd: this.folder, env, within: minutes(15) });
  }

  /** All containers, by the names of their services. */
  async inspected(): Promise<Map<string, Inspected>> {
    const ids = (await this.store.podman('ps', '--all', '--quiet')).split('\n').filter((id) => id !== '');
    if (ids.length === 0) return new Map();
    const all = JSON.parse(await this.store.podman('inspect', '--type', 'container', ...ids)) as Inspected[];
    return new Map(all.map((one) => [one.Config.Labels['com.docker.compose.service'] ?? one.Name, one]));
  }

  async container(service: string): Promise<Inspected> {
    const found = (await this.inspected()).get(service);
    if (found === undefined) throw new Error(`there is no container of ${service}`);
    return found;
  }

  /** Waits until a container passes its health check, or has ended with 0 where it is to end. This runs the check: podman's timers need systemd. */
  async healthy(service: string): Promise<void> {
    await waitUntil(
      async (seen) => {
        const { Name, State, Config } = await this.container(service);
        const [kind, ...check] = Config.Healthcheck?.Test ?? ['NONE'];
        if (kind === 'NONE')
          return State.Status === 'exited' && State.ExitCode === 0 ? true : seen(`${State.Status} ${State.ExitCode}`);
        // Not by `podman healthcheck run`: on a busy machine, the check's own time-out measures the machine, not the service.
        return this.store.podman('exec', Name, ...check).then(
          () => true as const,
          (error: unknown) => seen(`${State.Status}, ${String(error)}`),
        );
      },
      { for: `${service} to be healthy`, within: HEALTHY_WITHIN, every: seconds(1) },
    ).catch(async (error: unknown) => {
      const log = await this.#logs((await this.container(service)).Name);
      throw new Error(`${String(error)}; its log ends with\n${log.split('\n').slice(-20).join('\n')}`, { cause: error });
    });
  }

  /** Kills a service's container as a crash would, and waits until podman has started the container again. */
  async kill(service: string): Promise<void> {
    const before = await this.container(service);
    // Not by `podman kill`: podman does not restart a container that a person killed.
    process.kill(before.State.Pid, 'SIGKILL');
    await waitUntil(
      async (seen) => {
        const { State } = await this.container(service);
        seen(State.Status);
        return State.Status === 'running' && State.Pid !== before.State.Pid ? true : undefined;
      },
      { for: `${service} to be started again`, within: minutes(2), every: seconds(0.5) },
    );
  }

  /** Runs a program of Node in a container. Returns the program's output. */
  async node(service: string, program: string): Promise<string> {
    return this.store.podman('exec', (await this.container(service)).Name, 'node', '-e', program);
  }

  /** A client of the published port. */
  async api(): Promise<ApiClient> {
    return new ApiClient('http://127.0.0.1:9890', (await this.secrets()).get('lcm-token') ?? '');
  }

  /** The secrets in the files, by their names: they must be seen nowhere. */
  async secrets(): Promise<Map<string, string>> {
    const folder = join(this.folder, 'deploy/secrets');
    const names = (await readdir(folder)).filter(
      (name) => !name.startsWith('.') && !['nats-conf', 'enrolment-tokens'].includes(name),
    );
    return new Map(
      await Promise.all(names.map(async (name) => [name, (await readFile(join(folder, name), 'utf8')).trim()] as const)),
    );
  }

  /** Settings, logs, command lines and environments of the containers, as podman and this machine's processes show them. */
  async shown(): Promise<Map<string, string>> {
    const shown = new Map<string, string>();
    // PostgreSQL's image puts its superuser's password into the environment of its own process, so that environment is left out.
    for (const [service, { Name, State }] of await this.inspected()) {
      const logs = await this.#logs(Name);
      const ofProcess =
        State.Pid === 0
          ? []
          : (service === 'postgres' ? ['cmdline'] : ['cmdline', 'environ']).map((file) =>
              readFile(`/proc/${State.Pid}/${file}`, 'utf8'),
            );
      const settings = await this.store.podman('inspect', Name);
      shown.set(service, [settings, logs, ...(await Promise.all(ofProcess))].join('\n'));
    }
    return shown;
  }

  /** The last lines of containers that ended with a status other than 0. */
  async #endedBadly(): Promise<string> {
    const ended = [...(await this.inspected())].filter(([, { State }]) => State.Status !== 'running' && State.ExitCode !== 0);
    const told = ended.map(async ([service, { Name, State }]) => {
      const lines = (await this.#logs(Name)).split('\n').slice(-20).join('\n');
      return `${service} (${State.Status} ${State.ExitCode}):\n${lines}`;
    });
    return (await Promise.all(told)).join('\n');
  }

  async #logs(name: string): Promise<string> {
    const { stdout, stderr } = await run('podman', ['logs', name], { env: this.store.environment, maxBuffer: 64 * 1024 ** 2 });
    return `${stdout}${stderr}`;
  }
}

/** A network `10.second.N` in which this machine has no address. */
export function freeNetwork(second: number): string {
  const taken = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  for (let third = process.pid % 256, tried = 0; tried < 256; third = (third + 1) % 256, tried += 1) {
    const start = `10.${second}.${third}`;
    if (!taken.some((address) => address.startsWith(`${start}.`))) return start;
  }
  throw new Error(`this machine has addresses in all of 10.${second}.0.0/16`);
}
