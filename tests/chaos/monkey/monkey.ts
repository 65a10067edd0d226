import { setTimeout as pause } from 'node:timers/promises';
import type { SupervisedProcess } from '@windlass/windlass';
import { RunLog } from '../run-log.js';
import type { Stage } from '../stage/stage.js';
import { MAX_DOWN, STRIKE_EVERY, strikes, type Strike } from './schedule.js';

const LOOK_EVERY = 50;

/** Kills, pauses and restarts processes and servers by a seeded schedule until it is told to stop, and logs each strike. */
export class Monkey {
  readonly #log: RunLog;
  readonly #stopping = new AbortController();
  readonly #paused = new Map<SupervisedProcess, number>();
  readonly #under = new Set<Promise<void>>();
  #restarting = { postgres: false, nats: false };
  #strikes = 0;
  #failure: unknown;
  #running: Promise<void> | undefined;

  constructor(
    private readonly stage: Stage,
    private readonly seed: number,
    logFile: string,
  ) {
    this.#log = new RunLog(logFile);
  }

  /** The number of strikes. */
  get struck(): number {
    return this.#strikes;
  }

  start(): void {
    this.#running = this.#strikeOn();
  }

  /** Ends the strikes, resumes paused processes, and waits for restarts. @throws the error of a failed restart */
  async stop(why: string): Promise<void> {
    this.#log.write(`stops: ${why}`);
    this.#stopping.abort();
    await this.#running;
    for (const [process, pid] of this.#paused) this.#resume(process, pid);
    await Promise.all(this.#under);
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  async #strikeOn(): Promise<void> {
    const victims = [...this.stage.processes.keys()] as [string, ...string[]];
    const { signal } = this.#stopping;
    try {
      for (const strike of strikes(this.seed, victims)) {
        await pause(STRIKE_EVERY, undefined, { signal });
        while (this.#down() >= MAX_DOWN) await pause(LOOK_EVERY, undefined, { signal });
        this.#strikes += 1;
        this.#strike(strike);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** The number of processes and servers that are killed and not yet started again, or paused. */
  #down(): number {
    const processes = [...this.stage.processes.values()];
    const services = processes.filter((process) => process.healthUrls.size === 0 || this.#paused.has(process)).length;
    return services + Number(this.#restarting.postgres) + Number(this.#restarting.nats);
  }

  /** Strikes without waiting for the recovery: the next strike may hit during it, as long as not too much is down. */
  #strike(strike: Strike): void {
    const hit = this.#hit(strike);
    this.#log.write(`${JSON.stringify(strike)}: ${hit}`);
  }

  #hit(strike: Strike): string {
    if (strike.kind === 'restart-postgres') return this.#restart('postgres', () => this.stage.restartPostgres());
    if (strike.kind === 'restart-nats') return this.#restart('nats', () => this.stage.restartNats(strike));
    const process = this.stage.processes.get(strike.victim);
    const pid = process?.pid;
    if (process === undefined || pid === undefined) return 'it was not running';
    if (strike.kind === 'kill') return signalled(pid, 'SIGKILL');
    if (this.#paused.has(process)) return 'it is paused already';
    const said = signalled(pid, 'SIGSTOP');
    this.#paused.set(process, pid);
    this.#watch(this.#resumeLater(process, pid, strike.forMs));
    return said;
  }

  #restart(what: 'postgres' | 'nats', restart: () => Promise<void>): string {
    if (this.#restarting[what]) return 'it is being restarted already';
    this.#restarting[what] = true;
    this.#watch(
      restart().finally(() => {
        this.#restarting[what] = false;
        this.#log.write(`${what} is back`);
      }),
    );
    return 'killed';
  }

  #watch(work: Promise<void>): void {
    const watched = work.catch((error: unknown) => void (this.#failure ??= error)).finally(() => this.#under.delete(watched));
    this.#under.add(watched);
  }

  async #resumeLater(process: SupervisedProcess, pid: number, forMs: number): Promise<void> {
    try {
      await pause(forMs, undefined, { signal: this.#stopping.signal });
    } catch {
      // The monkey was told to stop: the process is resumed at once.
    }
    this.#resume(process, pid);
  }

  #resume(process: SupervisedProcess, pid: number): void {
    if (this.#paused.get(process) !== pid) return;
    this.#paused.delete(process);
    // Only the paused process is resumed: a successor was never paused.
    this.#log.write(`${process.name} goes on: ${process.pid === pid ? signalled(pid, 'SIGCONT') : 'it was killed meanwhile'}`);
  }
}

function signalled(pid: number, signal: NodeJS.Signals): string {
  try {
    process.kill(pid, signal);
    return `${signal} to ${pid}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return `${pid} had just ended`;
  }
}
