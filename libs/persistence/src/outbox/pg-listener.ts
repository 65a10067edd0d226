import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '@windlass/foundation';
import { Client } from 'pg';
import { watchAnswers } from '../answer-watch.js';

/** Pause before LISTEN is tried again on a new connection, in milliseconds. Whoever is woken polls meanwhile. */
const LISTEN_AGAIN = 1_000;

/** How often a quiet LISTEN connection is tried: one that was cut off without a word would never wake anybody again. */
const LISTENING_EVERY = seconds(5);

/** Hears NOTIFY on one channel, on a connection of its own that begins with the first who wants to be woken. */
export class PgListener {
  readonly #callbacks = new Set<() => void>();
  readonly #stopping = new AbortController();
  #client: Client | undefined;
  #listening: Promise<void> | undefined;

  /** @param options.heeds whether the word that came with a NOTIFY is for these callbacks; each is unless given */
  constructor(
    private readonly options: { url: string; channel: string; applicationName: string; heeds?: (word: string) => boolean },
  ) {}

  /** Calls back when something may be there: at each NOTIFY, and after each new connection, which may have missed some. */
  onWake(callback: () => void): () => void {
    this.#callbacks.add(callback);
    this.#listening ??= this.#listen();
    return () => this.#callbacks.delete(callback);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#client?.end().catch(() => undefined); // the connection may be gone already, which is what is wanted
    await this.#listening;
  }

  async #listen(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#listenOnce();
      await pause(LISTEN_AGAIN, undefined, { signal: this.#stopping.signal }).catch(() => undefined); // ended early by close()
    }
  }

  /** Until the connection ends. What is missed meanwhile, the poll of those who are woken finds. */
  async #listenOnce(): Promise<void> {
    const client = new Client({
      connectionString: this.options.url,
      application_name: this.options.applicationName,
      connectionTimeoutMillis: LISTENING_EVERY,
      keepAlive: true,
    });
    watchAnswers(client);
    this.#client = client;
    let trying: NodeJS.Timeout | undefined;
    const ended = new Promise<void>((resolve) => {
      client.once('end', () => resolve());
      client.once('error', () => resolve());
    });
    client.on('notification', ({ payload = '' }) => {
      if (this.options.heeds?.(payload) !== false) this.#callbacks.forEach((callback) => callback());
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${this.options.channel}`);
      this.#callbacks.forEach((callback) => callback());
      // One that fails ends the connection, which is what is waited for.
      trying = setInterval(() => void client.query('SELECT 1').catch(() => undefined), LISTENING_EVERY);
      await ended;
    } catch {
      // Not reachable now: those who poll say so, since they meet the same.
    } finally {
      clearInterval(trying);
      await client.end().catch(() => undefined);
    }
  }
}
