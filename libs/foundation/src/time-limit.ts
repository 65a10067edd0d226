import type { Duration } from './duration.js';

/** A signal that aborts when the time is up or an outer one aborts. By hand: `AbortSignal.any` keeps its sources' listeners on Node 20. */
export class TimeLimit {
  readonly #control = new AbortController();
  readonly #timer: NodeJS.Timeout;
  /** Whether it was the time that ended it. */
  expired = false;

  constructor(
    within: Duration,
    private readonly outer?: AbortSignal,
  ) {
    this.#timer = setTimeout(() => {
      this.expired = true;
      this.#control.abort();
    }, within);
    if (outer?.aborted === true) this.#control.abort();
    outer?.addEventListener('abort', this.#abort, { once: true });
  }

  readonly #abort = (): void => this.#control.abort();

  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** To be called when what was limited has ended: neither timer nor listener stays. */
  stop(): void {
    clearTimeout(this.#timer);
    this.outer?.removeEventListener('abort', this.#abort);
  }
}
