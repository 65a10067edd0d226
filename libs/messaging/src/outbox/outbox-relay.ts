import { setTimeout as pause } from 'node:timers/promises';
import { millis, seconds, type Duration } from '@windlass/foundation';
import type { StreamPublisher } from '../jetstream/stream-publisher.js';
import type { MessagingLog } from '../link/nats-link.js';

/** A message written in the transaction whose effect it tells. */
export interface OutboxRow {
  /** Unique; JetStream drops a second message with the same id. */
  readonly id: string;
  readonly subject: string;
  /** The envelope, ready to be sent. */
  readonly message: Uint8Array;
}

/** Where unsent rows are kept: a table, or memory in tests. */
export interface OutboxSource {
  /**
   * Takes up to `limit` unsent rows, oldest first and skipping those that another relay has locked, gives them to `publish`, and marks them
   * sent in the same transaction if that resolves. Unsent is a flag, never an id cursor: ids commit out of order.
   * @returns how many were taken
   */
  takeBatch(limit: number, publish: (rows: readonly OutboxRow[]) => Promise<void>): Promise<number>;
  /** Calls back when rows may be there (LISTEN). It may miss some: the relay also looks by itself. */
  onWake(callback: () => void): () => void;
}

export interface RelayOptions {
  /** Rows in one transaction; 100 by default. */
  batch?: number;
  /** How often to look without being woken; 1 s by default. */
  every?: Duration;
}

/** Pause after a failure; doubles up to the last. */
const FAILURE_PAUSES = { first: millis(200), longest: seconds(5) };

/** Transitions rows of an outbox into JetStream: at least once, and in order but for what is sent again. Several may run side by side. */
export class OutboxRelay {
  readonly #stopping = new AbortController();
  #wake: (() => void) | undefined;
  #woken = false;
  #loop: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(
    private readonly source: OutboxSource,
    private readonly publisher: StreamPublisher,
    private readonly log: MessagingLog,
    private readonly options: RelayOptions = {},
  ) {}

  start(): void {
    if (this.#loop !== undefined) return;
    this.#unsubscribe = this.source.onWake(() => {
      this.#woken = true;
      this.#wake?.();
    });
    this.#loop = this.#run();
  }

  /** Ends after the batch in flight. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe?.();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const limit = this.options.batch ?? 100;
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      this.#woken = false;
      try {
        const taken = await this.source.takeBatch(limit, (rows) => this.#publish(rows));
        failures = 0;
        if (taken < limit) await this.#sleep(this.options.every ?? seconds(1), true);
      } catch (error) {
        this.log.warn('an outbox could not be relayed; trying again', {
          error: error instanceof Error ? error.message : String(error),
        });
        await this.#sleep(millis(Math.min(FAILURE_PAUSES.first * 2 ** failures, FAILURE_PAUSES.longest)), false);
        failures += 1;
      }
    }
  }

  /** Sends all rows of a batch at once. The batch counts as sent only when the server has acknowledged every row. */
  async #publish(rows: readonly OutboxRow[]): Promise<void> {
    await Promise.all(rows.map((row) => this.publisher.publishBytes(row.subject, row.message, { id: row.id })));
  }

  /** Sleeps until the time is over, somebody wakes us (where that counts) or we stop. */
  async #sleep(time: Duration, wakeable: boolean): Promise<void> {
    if (wakeable && this.#woken) return;
    const until = new AbortController();
    const signal = AbortSignal.any([until.signal, this.#stopping.signal]);
    if (wakeable) this.#wake = () => until.abort();
    await pause(time, undefined, { signal }).catch(() => undefined); // ended early: that is what the signals are for
    this.#wake = undefined;
  }
}
