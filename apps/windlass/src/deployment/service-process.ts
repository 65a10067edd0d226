import { stopWithin, type Exit, type RunningProcess } from '@windlass/embedded';
import { InvariantError, seconds, type Duration } from '@windlass/foundation';
import type { ServiceFailure, SupervisorMessage } from '@windlass/service-kit';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { LogFile } from './log-file.js';

type Environment = Readonly<Record<string, string>>;

/** How a process of services is started. */
export interface ServiceProgram {
  /** Its `main.js`. */
  program: string;
  /** What Node.js is told for it. */
  nodeArguments: readonly string[];
  /** A function is asked at each start. */
  environment: Environment | (() => Environment);
  /** What the process writes goes here. */
  log: LogFile;
}

/** A process of services that runs, and what it has said of itself by the channel of Node's `fork`. */
export class ServiceProcess implements RunningProcess {
  /** Resolves when the process has ended and all that it said was heard. */
  readonly exited: Promise<Exit>;
  readonly #healthUrls = new Map<string, string>();
  #failure: ServiceFailure | undefined;

  private constructor(
    private readonly child: ChildProcess,
    readonly pid: number,
    log: LogFile,
  ) {
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    child.on('message', (message) => this.#hear(message as SupervisorMessage));
    child.on('error', (error) => void log.write(`${error.message}\n`));
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#healthUrls.clear();
        const heardAll = (): void =>
          resolve({ code, signal, ...(this.#failure === undefined ? {} : { reason: this.#failure.reason }) });
        // What the process said last may still wait in the channel.
        if (child.connected) child.once('disconnect', heardAll);
        else heardAll();
      });
    });
  }

  /** @throws Error of the system where the process can't be started */
  static async start({ program, nodeArguments, environment, log }: ServiceProgram): Promise<ServiceProcess> {
    const child = fork(program, {
      env: { ...(typeof environment === 'function' ? environment() : environment) },
      execArgv: [...nodeArguments],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A Ctrl-C at the terminal is for the supervisor, who ends the process in its turn. The channel tells the process when the supervisor dies.
      detached: true,
    });
    await once(child, 'spawn');
    if (child.pid === undefined) throw new InvariantError(`${program} was started and has no process id`);
    return new ServiceProcess(child, child.pid, log);
  }

  /** Where the health checks and metrics of the services are that have started, by name. */
  get healthUrls(): ReadonlyMap<string, string> {
    return this.#healthUrls;
  }

  /** Why the process is about to end, in its own words. */
  get failure(): ServiceFailure | undefined {
    return this.#failure;
  }

  stop(within: Duration = seconds(35)): Promise<Exit> {
    const { child, exited } = this;
    return stopWithin({ exited, ask: () => child.kill('SIGTERM'), kill: () => child.kill('SIGKILL') }, within);
  }

  #hear(message: SupervisorMessage): void {
    if (message.windlass === 'started') this.#healthUrls.set(message.service, message.healthUrl);
    else this.#failure = message;
  }
}
