import { millis, seconds, type Duration } from '@windlass/foundation';
import type { Exit } from '../server-process.js';

/** What a supervisor needs of a server that runs. */
export interface RunningServer {
  readonly port: number;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  stop(within?: Duration): Promise<Exit>;
}

export interface Supervision<S extends RunningServer> {
  /** For messages: `PostgreSQL`. */
  name: string;
  /** Starts it: the first time on the port that it chooses, then on the one it had. */
  start: (port: number | undefined) => Promise<S>;
  /** Told of each death, restart and failed start, in one line. */
  say: (line: string) => void;
  /** Whether a living server does its work; throws or rejects when not. Without one only its death is looked for. */
  probe?: (server: S) => Promise<void>;
  times?: Partial<SupervisionTimes>;
}

export interface SupervisionTimes {
  /** Before a server that ended is started again; doubles from the first to the longest. */
  firstPause: Duration;
  longestPause: Duration;
  /** One that ran this long has recovered: the pauses begin anew. */
  recoveredAfter: Duration;
  /** Between two probes. */
  probeEvery: Duration;
  /** So many probes in a row must fail before the server is restarted: one may have met a busy machine. */
  probeFailures: number;
  /** How long a server that fails its probes may take to end in order, before it is killed. */
  stopWithin: Duration;
}

const defaults: SupervisionTimes = {
  firstPause: millis(100),
  longestPause: seconds(10),
  recoveredAfter: seconds(60),
  probeEvery: seconds(5),
  probeFailures: 3,
  stopWithin: seconds(5),
};

/**
 * A server that is started again whenever it ends, on the same port and data, until it is stopped. Clients keep their URL. A start that fails
 * (its disk is full, say) is tried again like a death.
 */
export class SupervisedServer<S extends RunningServer> {
  readonly #times: SupervisionTimes;
  readonly #stopping = new AbortController();
  readonly #port: number;
  #server: S | undefined;
  #pause: number;
  readonly #watching: Promise<void>;

  private constructor(
    private readonly supervision: Supervision<S>,
    /** Its URL and passwords are those of all that come after it. */
    readonly first: S,
  ) {
    this.#times = { ...defaults, ...supervision.times };
    this.#pause = this.#times.firstPause;
    this.#server = first;
    this.#port = first.port;
    this.#watching = this.#watch();
  }

  /** @throws what the first start throws: then there is nothing to supervise */
  static async start<S extends RunningServer>(supervision: Supervision<S>): Promise<SupervisedServer<S>> {
    return new SupervisedServer(supervision, await supervision.start(undefined));
  }

  get name(): string {
    return this.supervision.name;
  }

  /** The one that runs now; undefined while there is none. */
  get running(): S | undefined {
    return this.#server;
  }

  /** Of the process that runs now; undefined while there is none. */
  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** Ends the server in order, and the supervision with it. One that is being started is ended as soon as it runs. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#server?.stop();
    await this.#watching;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #watch(): Promise<void> {
    for (let server: S | undefined = this.first; server !== undefined; server = await this.#startAgain()) {
      this.#server = server;
      if (this.#isStopping) await server.stop();
      const begun = performance.now();
      const ended = await this.#untilItEnds(server);
      this.#server = undefined;
      if (this.#isStopping) return;
      if (performance.now() - begun >= this.#times.recoveredAfter) this.#pause = this.#times.firstPause;
      this.supervision.say(`${this.name} ended (${endingOf(ended)}); starting it again`);
    }
  }

  async #untilItEnds(server: S): Promise<Exit> {
    const over = new AbortController();
    const probing = this.#probe(server, over.signal);
    const exit = await server.exited;
    over.abort();
    await probing;
    return exit;
  }

  /** Undefined when it was told to stop meanwhile. */
  async #startAgain(): Promise<S | undefined> {
    for (;;) {
      await pause(this.#pause, this.#stopping.signal);
      if (this.#isStopping) return undefined;
      this.#pause = Math.min(this.#pause * 2, this.#times.longestPause);
      try {
        const server = await this.supervision.start(this.#port);
        this.supervision.say(`${this.name} runs again (process ${server.pid})`);
        return server;
      } catch (error) {
        this.supervision.say(`${this.name} can't be started: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  async #probe(server: S, over: AbortSignal): Promise<void> {
    const { probe, say } = this.supervision;
    if (probe === undefined) return;
    for (let failures = 0; ;) {
      await pause(this.#times.probeEvery, AbortSignal.any([over, this.#stopping.signal]));
      if (over.aborted || this.#isStopping) return;
      try {
        await probe(server);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures < this.#times.probeFailures) continue;
        say(`${this.name} does not do its work (${error instanceof Error ? error.message : String(error)}); ending it`);
        await server
          .stop(this.#times.stopWithin)
          .catch((failure: unknown) => say(`${this.name} can't be ended: ${String(failure)}`));
        return;
      }
    }
  }
}

const endingOf = ({ code, signal }: Exit): string => signal ?? `status ${code ?? '?'}`;

/** Ends early, without an error, when it is told to. */
function pause(time: number, until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (until.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      until.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, time);
    until.addEventListener('abort', done);
  });
}
