import { millis, seconds, TerminalError, waitUntil, type Duration } from '@windlass/foundation';
import type { ServiceFailure, SupervisorMessage } from '@windlass/service-kit';
import { fork, type ChildProcess } from 'node:child_process';
import { LogFile } from './log-file.js';

type Environment = Readonly<Record<string, string>>;

export interface ProcessSpec {
  name: string;
  /** The services that run in it; it has started when all have. */
  services: readonly string[];
  /** Its `main.js`. */
  program: string;
  /** A function is asked at each start. */
  environment: Environment | (() => Environment);
  /** Its output is appended here. */
  logFile: string;
  /** One line when something happens to it. */
  say: (line: string) => void;
  /** Told why the process ended by itself, before it is started again. @throws TerminalError where another start would not help */
  afterFailure?: (failure: ServiceFailure) => Promise<void>;
}

/** Pauses before a process that ended is started again. */
const AGAIN = { first: millis(100), longest: seconds(5) };
/** One that ran this long has recovered: the pauses begin anew. */
const RECOVERED_AFTER = seconds(10);
/** Status of a wrong configuration: starting again would not help. */
const MISCONFIGURED = 78;

/** A service's process that is started again whenever it ends, until it is stopped. */
export class SupervisedProcess {
  #child: ChildProcess | undefined;
  #stopping = false;
  #again: NodeJS.Timeout | undefined;
  #pause: number = AGAIN.first;
  readonly #healthUrls = new Map<string, string>();
  /** Why it is about to end, in its own words. */
  #failure: ServiceFailure | undefined;
  /** Why it is not started again. */
  #fatal: string | undefined;
  readonly #log: LogFile;

  constructor(private readonly spec: ProcessSpec) {
    this.#log = new LogFile(spec.logFile);
    this.#start();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get name(): string {
    return this.spec.name;
  }

  /** Where the health checks and metrics of the services are that have started, by name. */
  get healthUrls(): ReadonlyMap<string, string> {
    return this.#healthUrls;
  }

  get #started(): boolean {
    return this.spec.services.every((service) => this.#healthUrls.has(service));
  }

  /** Waits until the process says that it has started. @throws TerminalError where it ended and another start would not help */
  async started(within: Duration, signal?: AbortSignal): Promise<void> {
    await waitUntil(
      () => {
        this.#refuseFatal();
        return Promise.resolve(this.#started ? true : undefined);
      },
      {
        for: `${this.name} to start (its log is ${this.spec.logFile})`,
        within,
        every: millis(20),
        ...(signal === undefined ? {} : { signal }),
      },
    );
  }

  /** Waits until it says that it is ready to work. @throws TerminalError where it ended and another start would not help */
  async ready(within: Duration, signal?: AbortSignal): Promise<void> {
    await waitUntil(
      async (seen) => {
        this.#refuseFatal();
        const answers = await Promise.all([...this.#healthUrls.values()].map((url) => unready(url)));
        const trouble = answers.find((answer) => answer !== undefined);
        if (this.#started && trouble === undefined) return true;
        seen(trouble ?? 'it is being started again');
        return undefined;
      },
      {
        for: `${this.name} to be ready (its log is ${this.spec.logFile})`,
        within,
        every: millis(50),
        ...(signal === undefined ? {} : { signal }),
      },
    );
  }

  /** Ends it in order, then by force. */
  async stop(within: Duration = seconds(35)): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#again);
    const child = this.#child;
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), within);
      await ended;
      clearTimeout(kill);
    }
    this.#log.end();
  }

  #refuseFatal(): void {
    if (this.#fatal !== undefined)
      throw new TerminalError('deployment.service-failed', `${this.name} can't start: ${this.#fatal} (${this.spec.logFile})`);
  }

  #start(): void {
    const { program, environment, name } = this.spec;
    const begun = performance.now();
    const child = fork(program, {
      env: { ...(typeof environment === 'function' ? environment() : environment) },
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A Ctrl-C at the terminal is for the supervisor, who ends it in its turn. Where the supervisor dies, the channel tells it.
      detached: true,
    });
    this.#child = child;
    this.#healthUrls.clear();
    this.#failure = undefined;
    child.stdout?.pipe(this.#log, { end: false });
    child.stderr?.pipe(this.#log, { end: false });
    child.on('message', (message) => this.#hear(message as SupervisorMessage));
    child.on('error', (error) => this.spec.say(`${name} could not be started: ${error.message}`));
    child.on('exit', (status, signal) => {
      this.#healthUrls.clear();
      const lived = performance.now() - begun;
      const heardAll = (): void => void this.#ended(status, signal, lived);
      // What it said last may still wait in the channel.
      if (child.connected) child.once('disconnect', heardAll);
      else heardAll();
    });
  }

  #hear(message: SupervisorMessage): void {
    if (message.windlass === 'started') this.#healthUrls.set(message.service, message.healthUrl);
    else this.#failure = message;
  }

  async #ended(status: number | null, signal: NodeJS.Signals | null, lived: number): Promise<void> {
    if (this.#stopping) return;
    const failure = this.#failure;
    const how = signal ?? `status ${status ?? '?'}`;
    if (status === MISCONFIGURED) this.#fatal = failure?.reason ?? how;
    else if (failure !== undefined)
      await this.spec.afterFailure?.(failure).catch((error: unknown) => {
        this.#fatal = error instanceof Error ? error.message : String(error);
      });
    if (this.#isStopping() || this.#fatal !== undefined) return;
    if (lived > RECOVERED_AFTER) this.#pause = AGAIN.first;
    this.spec.say(`${this.name} ended (${how}${failure === undefined ? '' : `: ${failure.reason}`}); starting it again`);
    this.#again = setTimeout(() => this.#start(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, AGAIN.longest);
  }

  /** Read anew at each call: it may be stopped meanwhile. */
  #isStopping(): boolean {
    return this.#stopping;
  }
}

/** What speaks against a service being ready; undefined when it is. */
async function unready(healthUrl: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${healthUrl}/health/ready`, { signal: AbortSignal.timeout(seconds(2)) });
    return answer.ok ? undefined : await answer.text();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
