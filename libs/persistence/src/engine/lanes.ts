import type { Duration } from '@windlass/foundation';

/** What waits for its turn, and is told how it ended. */
export interface InLane<Q> {
  readonly request: Q;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface LaneOptions<Q> {
  lanes: number;
  /** Requests that are done as one at most. */
  most: number;
  /** Whether a request may be done as one with these. */
  mayJoin: (request: Q, others: readonly Q[]) => boolean;
  /** What takes longer waits for somebody: its lane is taken as free. */
  slow: Duration;
}

/**
 * Does what is asked for in few lanes. Whoever finds one free begins at once and waits for nobody; those that come while all are busy wait for the next that
 * becomes free, and are done in it as one.
 */
export class Lanes<Q> {
  readonly #waiting: InLane<Q>[] = [];
  #busy = 0;

  /** @param run does them, tells each, and resolves when the lane is free; it throws nothing */
  constructor(
    private readonly options: LaneOptions<Q>,
    private readonly run: (together: readonly InLane<Q>[]) => Promise<void>,
  ) {}

  /** Resolves when it is done. */
  ask(request: Q): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#waiting.length > 0 && this.#busy < this.options.lanes) void this.#goOn();
  }

  async #goOn(): Promise<void> {
    this.#busy += 1;
    for (let together = this.#taken(); together.length > 0; together = this.#taken()) {
      const lane = { isOurs: true };
      const slow = setTimeout(() => {
        lane.isOurs = false;
        this.#busy -= 1;
        this.#begin();
      }, this.options.slow);
      await this.run(together);
      clearTimeout(slow);
      if (!lane.isOurs) return;
    }
    this.#busy -= 1;
  }

  /** In the order in which they came, but for those that may not join the ones before. */
  #taken(): InLane<Q>[] {
    const together: InLane<Q>[] = [];
    for (const one of this.#waiting) {
      const others = together.map(({ request }) => request);
      if (others.length < this.options.most && this.options.mayJoin(one.request, others)) together.push(one);
    }
    for (const one of together) this.#waiting.splice(this.#waiting.indexOf(one), 1);
    return together;
  }
}
