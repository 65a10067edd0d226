import { millis, type Duration } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import { setTimeout as pause } from 'node:timers/promises';

/** Runs a look again and again, for things that no message reports. Every coordinator has its own; each skips rows that another has locked. */
export class Sweeper {
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #failing = false;

  constructor(
    private readonly sweeping: { sweep(): Promise<unknown> },
    private readonly log: MessagingLog,
    private readonly every: Duration,
  ) {}

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.sweeping.sweep();
        if (this.#failing) this.log.info('the sweep works again');
        this.#failing = false;
      } catch (error) {
        if (!this.#failing)
          this.log.warn('the sweep failed; trying again', { error: error instanceof Error ? error.message : String(error) });
        this.#failing = true;
      }
      // Spread, so that several coordinators don't sweep at the same moment.
      const time = millis(this.every * (0.75 + Math.random() / 2));
      await pause(time, undefined, { signal: this.#stopping.signal }).catch(() => undefined); // ended early by stop()
    }
  }
}
