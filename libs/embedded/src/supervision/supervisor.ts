import { millis, seconds, type Duration } from '@windlass/foundation';
import type { Exit } from '../stop-within.js';

/** What a supervisor needs of a process that runs. */
export interface RunningProcess {
  readonly pid: number;
  /** Resolves when the process has ended, for whatever reason. Never rejects. */
  readonly exited: Promise<Exit>;
  /** Asks the process to end, and kills it when it has not ended within the limit. */
  stop(within?: Duration): Promise<Exit>;
}

export interface Supervision<P extends RunningProcess> {
  /** For messages: `PostgreSQL`. */
  name: string;
  /** Starts the process. `before` ran last: a server is started again on its port. */
  start: (before: P | undefined) => Promise<P>;
  /** Told of each death and each failed start, in one line. */
  say: (line: string) => void;
  /** Told of a process that ended by itself, before the next start. @throws where another start would not help: the supervisor gives up */
  beforeNextStart?: (ended: P, exit: Exit) => Promise<void>;
  /** Whether a living process does its work; throws or rejects when not. Without a probe only the death of the process is noticed. */
  probe?: (running: P) => Promise<void>;
  times?: Partial<SupervisionTimes>;
}

export interface SupervisionTimes {
  /** Before a process that ended is started again; doubles from the first to the longest. */
  firstPause: Duration;
  longestPause: Duration;
  /** A process that ran this long has recovered: the next pause is the first again. */
  recoveredAfter: Duration;
  /** Between two probes. */
  probeEvery: Duration;
  /** So many probes in a row must fail before the process is restarted: a busy machine may fail one. */
  probeFailures: number;
  /** How long a process that fails its probes may take to end in order, before it is killed. */
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
 * Starts a process again whenever it ends, until the supervisor is stopped or gives up. A start that fails (the disk is full, say) is tried again
 * like a death.
 */
export class Supervisor<P extends RunningProcess> {
  readonly #times: SupervisionTimes;
  readonly #stopping = new AbortController();
  #running: P | undefined;
  #last: P | undefined;
  #pause: number;
  #gaveUp: Error | undefined;
  #stopWithin: Duration | undefined;
  readonly #watching: Promise<void>;

  /** Starts the process at once, where `first` does not run already. */
  constructor(
    private readonly supervision: Supervision<P>,
    first?: P,
  ) {
    this.#times = { ...defaults, ...supervision.times };
    this.#pause = this.#times.firstPause;
    this.#running = this.#last = first;
    this.#watching = this.#watch(first);
  }

  /** Starts a process whose first start has to succeed. @throws what the first start throws: then there is nothing to supervise */
  static async start<P extends RunningProcess>(supervision: Supervision<P>): Promise<{ first: P; supervisor: Supervisor<P> }> {
    const first = await supervision.start(undefined);
    return { first, supervisor: new Supervisor(supervision, first) };
  }

  /** The process that runs now; undefined while there is none. */
  get running(): P | undefined {
    return this.#running;
  }

  /** The process that runs now, or ran last; undefined before the first start. */
  get last(): P | undefined {
    return this.#last;
  }

  /** Of the process that runs now; undefined while there is none. */
  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /** Why the process is not started again; undefined as long as it is. */
  get gaveUp(): Error | undefined {
    return this.#gaveUp;
  }

  /**
   * Ends the process in order, and the supervision with it. A process that is being started is ended as soon as it runs.
   * @param within how long the process may take, before it is killed; its own limit by default
   */
  async stop(within?: Duration): Promise<void> {
    this.#stopWithin = within;
    this.#stopping.abort();
    await this.#running?.stop(within);
    await this.#watching;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #watch(first: P | undefined): Promise<void> {
    for (let process = first ?? (await this.#start()); process !== undefined; process = await this.#start()) {
      this.#running = this.#last = process;
      if (this.#isStopping) await process.stop(this.#stopWithin);
      const begun = performance.now();
      const exit = await this.#untilItEnds(process);
      this.#running = undefined;
      if (performance.now() - begun >= this.#times.recoveredAfter) this.#pause = this.#times.firstPause;
      if (this.#isStopping || !(await this.#goesOn(process, exit))) return;
      this.supervision.say(`${this.supervision.name} ended (${endingOf(exit)}); starting it again`);
      await this.#pauseBeforeStart();
    }
  }

  async #untilItEnds(process: P): Promise<Exit> {
    const over = new AbortController();
    const probing = this.#probe(process, over.signal);
    const exit = await process.exited;
    over.abort();
    await probing;
    return exit;
  }

  async #goesOn(ended: P, exit: Exit): Promise<boolean> {
    try {
      await this.supervision.beforeNextStart?.(ended, exit);
      return !this.#isStopping;
    } catch (error) {
      this.#gaveUp = error instanceof Error ? error : new Error(String(error));
      return false;
    }
  }

  /** Tries until the process runs. Undefined when the supervisor was told to stop meanwhile. */
  async #start(): Promise<P | undefined> {
    while (!this.#isStopping) {
      try {
        return await this.supervision.start(this.#last);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.supervision.say(`${this.supervision.name} can't be started: ${reason}`);
      }
      await this.#pauseBeforeStart();
    }
    return undefined;
  }

  async #pauseBeforeStart(): Promise<void> {
    const time = this.#pause;
    this.#pause = Math.min(time * 2, this.#times.longestPause);
    await pause(time, this.#stopping.signal);
  }

  async #probe(process: P, over: AbortSignal): Promise<void> {
    const { name, probe, say } = this.supervision;
    if (probe === undefined) return;
    for (let failures = 0; ;) {
      await pause(this.#times.probeEvery, AbortSignal.any([over, this.#stopping.signal]));
      if (over.aborted || this.#isStopping) return;
      try {
        await probe(process);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures < this.#times.probeFailures) continue;
        say(`${name} does not do its work (${error instanceof Error ? error.message : String(error)}); ending it`);
        await process.stop(this.#times.stopWithin).catch((failure: unknown) => say(`${name} can't be ended: ${String(failure)}`));
        return;
      }
    }
  }
}

/** How a process ended, in a few words: `SIGKILL`, or `status 1: the port is taken`. */
export const endingOf = ({ code, signal, reason }: Exit): string =>
  `${signal ?? `status ${code ?? '?'}`}${reason === undefined ? '' : `: ${reason}`}`;

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
