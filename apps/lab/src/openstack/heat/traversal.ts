import { setTimeout as pause } from 'node:timers/promises';
import type { ResourceAction } from '../state/state.js';

export type Outcome = 'COMPLETE' | 'FAILED' | 'CANCELLED';

/** One run of work on a stack. A newer one on the same stack cancels it. */
export class Traversal {
  readonly #abort = new AbortController();
  #decide: (outcome: Outcome) => void = () => undefined;
  #outcome: Outcome | undefined;
  /** Resolves at the first failure, or when all is done: the stack's status is known then, though work may go on. */
  readonly decided: Promise<Outcome>;
  /** Resolves when nothing of it runs any more. */
  settled: Promise<void> = Promise.resolve();

  constructor(readonly action: ResourceAction) {
    this.decided = new Promise((resolve) => (this.#decide = resolve));
  }

  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  get cancelled(): boolean {
    return this.#outcome === 'CANCELLED';
  }

  /** @returns false where it was decided before. */
  conclude(outcome: Outcome): boolean {
    if (this.#outcome !== undefined) return false;
    this.#outcome = outcome;
    this.#decide(outcome);
    return true;
  }

  cancel(): void {
    this.conclude('CANCELLED');
    this.#abort.abort();
  }

  /** Waits, or gives up waiting when it is cancelled. */
  async pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#abort.signal.aborted) return;
    await pause(ms, undefined, { signal: this.#abort.signal }).catch(() => undefined);
  }
}
