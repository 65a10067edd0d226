import { RequestError } from './errors.js';

interface Waiter {
  begin: () => void;
}

/** How many may work, and wait. */
export interface TurnsOptions {
  /** Of all projects together that work at a time. */
  places: number;
  /** Of one project that wait; without it as many as come. */
  waitingPerProject?: number;
}

/**
 * Places for work that is dear, given to projects in turn: a place that becomes free goes to the waiting project that has the fewest, and among
 * those in turn. So none waits for all that another asks for.
 */
export class Turns {
  #free: number;
  readonly #running = new Map<string, number>();
  /** In the order of the turn. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(private readonly options: TurnsOptions) {
    this.#free = options.places;
  }

  /** How many have a place. */
  get running(): number {
    return this.options.places - this.#free;
  }

  /**
   * Does the work when it is the project's turn.
   * @param signal ends the waiting; what the work does with it is the work's matter
   * @throws RequestError 429 `project.too-many-waiting`; the signal's reason; what the work throws
   */
  async run<T>(project: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(project, signal);
    this.#running.set(project, (this.#running.get(project) ?? 0) + 1);
    try {
      return await work();
    } finally {
      this.#ended(project);
    }
  }

  #turn(project: string, signal: AbortSignal | undefined): Promise<void> {
    const queue = this.#waiting.get(project) ?? [];
    const { waitingPerProject = Infinity } = this.options;
    if (queue.length >= waitingPerProject) {
      const reason = `${queue.length} others of this project wait for the same: try again when one of them is done`;
      throw new RequestError(429, 'project.too-many-waiting', reason);
    }
    this.#waiting.set(project, queue);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        begin: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      const onAbort = (): void => {
        queue.splice(queue.indexOf(waiter), 1);
        if (queue.length === 0) this.#waiting.delete(project);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      queue.push(waiter);
    });
  }

  #ended(project: string): void {
    const left = (this.#running.get(project) ?? 1) - 1;
    if (left === 0) this.#running.delete(project);
    else this.#running.set(project, left);
    const next = this.#nextProject();
    const queue = next === undefined ? undefined : this.#waiting.get(next);
    const waiter = queue?.shift();
    if (next === undefined || queue === undefined || waiter === undefined) {
      this.#free += 1;
      return;
    }
    // To the end of the turn.
    this.#waiting.delete(next);
    if (queue.length > 0) this.#waiting.set(next, queue);
    waiter.begin();
  }

  #nextProject(): string | undefined {
    let best: { project: string; running: number } | undefined;
    for (const project of this.#waiting.keys()) {
      const running = this.#running.get(project) ?? 0;
      if (best === undefined || running < best.running) best = { project, running };
    }
    return best?.project;
  }
}
