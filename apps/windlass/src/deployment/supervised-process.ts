import { endingOf, Supervisor, type Exit } from '@windlass/embedded';
import { describeDuration, millis, seconds, TerminalError, waitUntil, type Duration } from '@windlass/foundation';
import type { ServiceFailure } from '@windlass/service-kit';
import { LogFile } from './log-file.js';
import { ServiceProcess, type ServiceProgram } from './service-process.js';

export interface ProcessSpec extends Omit<ServiceProgram, 'log'> {
  name: string;
  /** The services that run in it; it has started when all have. */
  services: readonly string[];
  /** Its output is appended here. */
  logFile: string;
  /** One line when something happens to it. */
  say: (line: string) => void;
  /** Told why the process ended by itself, before it is started again. @throws TerminalError where another start would not help */
  afterFailure?: (failure: ServiceFailure) => Promise<void>;
  /** How long a process that stands still is given; a minute and a half by default. */
  patience?: Patience;
}

/** A process that does not answer its health check, so many times in a row, stands still: it is ended and started again. */
export interface Patience {
  /** Between two checks. */
  every: Duration;
  /** For one answer. A busy machine takes seconds. */
  within: Duration;
  /** So many answers in a row must be missed. */
  misses: number;
}

const PATIENCE: Patience = { every: seconds(10), within: seconds(20), misses: 3 };

const TIMES = { firstPause: millis(100), longestPause: seconds(5), recoveredAfter: seconds(10) };

/** Status of a wrong configuration: starting again would not help. */
const MISCONFIGURED = 78;

const NONE: ReadonlyMap<string, string> = new Map();

/** A service's process that is started again whenever it ends or stands still, until it is stopped. */
export class SupervisedProcess {
  #wasReady = false;
  readonly #log: LogFile;
  readonly #supervisor: Supervisor<ServiceProcess>;

  constructor(private readonly spec: ProcessSpec) {
    const { name, say, program, nodeArguments, environment, logFile, patience = PATIENCE } = spec;
    const log = (this.#log = new LogFile(logFile));
    this.#supervisor = new Supervisor({
      name,
      say,
      start: () => ServiceProcess.start({ program, nodeArguments, environment, log }),
      beforeNextStart: (ended, exit) => this.#beforeNextStart(ended, exit),
      probe: (running) => answers(running, patience.within),
      times: { ...TIMES, probeEvery: patience.every, probeFailures: patience.misses },
    });
  }

  /** Of the process that runs now, or ran last. */
  get pid(): number | undefined {
    return this.#supervisor.last?.pid;
  }

  get name(): string {
    return this.spec.name;
  }

  /** Where the health checks and metrics of the services are that have started, by name. */
  get healthUrls(): ReadonlyMap<string, string> {
    return this.#supervisor.running?.healthUrls ?? NONE;
  }

  get #started(): boolean {
    return this.spec.services.every((service) => this.healthUrls.has(service));
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
        const answers = await Promise.all([...this.healthUrls.values()].map((url) => unready(url)));
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
    this.#wasReady = true;
  }

  /** Ends it in order, then by force. */
  async stop(within?: Duration): Promise<void> {
    await this.#supervisor.stop(within);
    this.#log.end();
  }

  #refuseFatal(): void {
    const { gaveUp } = this.#supervisor;
    if (gaveUp !== undefined)
      throw new TerminalError('deployment.service-failed', `${this.name} can't start: ${gaveUp.message} (${this.spec.logFile})`);
  }

  /** @throws Error where another start would not help. Who waits for the first start is told of it; later it is said. */
  async #beforeNextStart({ failure }: ServiceProcess, exit: Exit): Promise<void> {
    try {
      if (exit.code === MISCONFIGURED) throw new TerminalError('deployment.misconfigured', failure?.reason ?? endingOf(exit));
      if (failure !== undefined) await this.spec.afterFailure?.(failure);
    } catch (error) {
      if (this.#wasReady) this.spec.say(`${this.name} ended (${endingOf(exit)}); it is not started again`);
      throw error;
    }
  }
}

/** @throws Error where a service that has started does not answer within the limit. Any answer will do: what a service lacks is no reason to end it. */
async function answers({ healthUrls }: ServiceProcess, within: Duration): Promise<void> {
  await Promise.all(
    [...healthUrls].map(async ([service, url]) => {
      try {
        await (await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(within) })).text();
      } catch (cause) {
        throw new Error(`${service} did not answer its health check within ${describeDuration(within)}`, { cause });
      }
    }),
  );
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
