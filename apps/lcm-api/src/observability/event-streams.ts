import { seconds, TimeLimit, type Duration } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import { type PgListener, PgObservability } from '@windlass/persistence';
import type { Response } from 'express';
import { setTimeout as after } from 'node:timers/promises';
import { LOOKS_AT_ONCE, StreamPlaces, Turns, type EventStreamPolicy } from './event-stream-limits.js';
import { EventWriter } from './event-writer.js';
import type { QuotableSecrets } from './quotable-secrets.js';
import { LiveView, type ViewOptions } from './live-view.js';

/** Pause before a client comes again after its stream has ended. */
const RETRY = seconds(1);

/**
 * Live views over `text/event-stream`. Each view reads PostgreSQL's record, woken by what commits announce, and polls in addition. No stream of NATS
 * takes part, so any replica serves any client, and a client may reconnect to another one.
 */
export class EventStreams {
  readonly #places: StreamPlaces;
  readonly #looks = new Turns(LOOKS_AT_ONCE);
  readonly #stopping = new AbortController();
  readonly #open = new Set<Promise<void>>();

  constructor(
    private readonly observability: PgObservability,
    private readonly secrets: QuotableSecrets,
    private readonly listener: PgListener,
    private readonly policy: EventStreamPolicy,
    private readonly log: MessagingLog,
  ) {
    this.#places = new StreamPlaces(policy);
  }

  /** How many streams are open. */
  get open(): number {
    return this.#open.size;
  }

  /** Serves a view until it has told everything, its client goes, its time is over or the service stops. @throws RequestError 429, 503 */
  async serve(response: Response, options: ViewOptions, lastEventId: string | undefined): Promise<void> {
    const release = this.#places.take(options.scope.tenant);
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    response.once('close', leave);
    const lifetime = new TimeLimit(this.policy.lifetime);
    const signal = AbortSignal.any([gone.signal, this.#stopping.signal, lifetime.signal]);
    const serving = this.#tell(response, new LiveView(this.observability, this.secrets, options, lastEventId), signal).finally(
      () => {
        lifetime.stop();
        response.off('close', leave);
        release();
        this.#open.delete(serving);
      },
    );
    this.#open.add(serving);
    await serving;
  }

  /** Ends every stream; their clients come again, to another replica. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#open);
    await this.listener.close();
  }

  async #tell(response: Response, view: LiveView, signal: AbortSignal): Promise<void> {
    const writer = new EventWriter(response, this.policy.patience, signal);
    try {
      await writer.begin(RETRY);
      await this.#follow(writer, view, signal);
      response.end();
    } catch (error) {
      // The headers are sent already, so an error can only end the stream. The client reconnects by itself.
      if (signal.aborted) response.end();
      else response.destroy();
      if (!signal.aborted) this.log.warn('a live view ended early', { error: messageOf(error) });
    }
  }

  async #follow(writer: EventWriter, view: LiveView, signal: AbortSignal): Promise<void> {
    const changes = new ChangeSignal(this.listener);
    try {
      for (let quietSince = performance.now(); ;) {
        if (await this.#look(writer, view)) quietSince = performance.now();
        if (view.ended) return;
        if (performance.now() - quietSince >= this.policy.heartbeat) {
          await writer.heartbeat();
          quietSince = performance.now();
        }
        await after(this.policy.pause, undefined, { signal });
        await changes.notified(this.policy.poll, signal);
      }
    } finally {
      changes.close();
    }
  }

  /** One look, an event at a time: the next is read when the last was taken in. Returns whether there was news. */
  async #look(writer: EventWriter, view: LiveView): Promise<boolean> {
    let told = false;
    const events = view.look();
    for (;;) {
      const next = await this.#looks.run(() => events.next());
      if (next.done === true) return told;
      await writer.send(next.value);
      told = true;
    }
  }
}

/** Remembers a change that arrives while no view waits. */
class ChangeSignal {
  readonly #unsubscribe: () => void;
  #notified = false;
  #wake: () => void = () => undefined;

  constructor(listener: PgListener) {
    this.#unsubscribe = listener.onWake(() => {
      this.#notified = true;
      this.#wake();
    });
  }

  /** Resolves at a change since the last call, after so long, or at the end of it all. */
  async notified(atMost: Duration, signal: AbortSignal): Promise<void> {
    if (!this.#notified && !signal.aborted) await this.#notify(atMost, signal);
    signal.throwIfAborted();
    this.#notified = false;
  }

  close(): void {
    this.#unsubscribe();
  }

  #notify(atMost: Duration, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, atMost);
      signal.addEventListener('abort', end);
      this.#wake = end;
    });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
