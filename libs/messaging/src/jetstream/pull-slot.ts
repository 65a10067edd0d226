import type { Msg, Subscription } from '@nats-io/transport-node';
import { millis, type Duration } from '@windlass/foundation';
import type { NatsLink } from '../link/nats-link.js';
import { StreamMessage } from './stream-message.js';

/** How one pull ended. */
export type Pulled =
  | { kind: 'message'; message: StreamMessage }
  /** Nothing came: pull again. */
  | { kind: 'nothing' }
  /** The consumer, its stream or the server is not what it was: look before pulling again. */
  | { kind: 'gone'; reason: string }
  /** The server takes no pull now: pull again a little later. */
  | { kind: 'busy'; reason: string }
  | { kind: 'stopped' };

/** While a pull waits, the server sends six heartbeats for the pull. Silence for two and a half heartbeats means that the pull is lost. */
const HEARTBEATS_IN_A_PULL = 6;
const SILENT_HEARTBEATS = 2.5;

const nanos = (ms: number): number => Math.round(ms * 1_000_000);

/**
 * Room for one message at a time: the slot asks the server for exactly one message, and for the next only when that message is handled. So no message
 * waits here behind a slow one, as happens with the library's `consume()`, which fetches ahead.
 */
export class PullSlot {
  readonly #subscription: Subscription;
  #pulls = 0;
  #waiting: { subject: string; end: (pulled: Pulled) => void; silence: NodeJS.Timeout } | undefined;
  #stopped = false;

  constructor(
    private readonly link: NatsLink,
    private readonly nextSubject: string,
    /** A new inbox; no other user may subscribe below it. */
    private readonly inbox: string,
    /** The server answers a pull at the latest after this. */
    private readonly expires: Duration,
    onError: (error: Error) => void,
  ) {
    this.#subscription = link.connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#received(message);
        else onError(error);
      },
    });
  }

  /** Asks for one message and resolves with how the pull ended. One pull at a time. */
  pull(): Promise<Pulled> {
    if (this.#stopped) return Promise.resolve({ kind: 'stopped' });
    this.#pulls += 1;
    const subject = `${this.inbox}.${this.#pulls}`;
    return new Promise((resolve) => {
      const heartbeat = this.expires / HEARTBEATS_IN_A_PULL;
      const silence = setTimeout(() => this.end({ kind: 'gone', reason: 'the server is silent' }), heartbeat * SILENT_HEARTBEATS);
      this.#waiting = { subject, end: resolve, silence };
      const request = { batch: 1, expires: nanos(this.expires), idle_heartbeat: nanos(heartbeat) };
      try {
        this.link.connection.publish(this.nextSubject, JSON.stringify(request), { reply: subject });
      } catch (error) {
        this.end({ kind: 'gone', reason: error instanceof Error ? error.message : String(error) });
      }
    });
  }

  /** Ends the pull that waits, if one does. */
  end(pulled: Pulled): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    clearTimeout(waiting.silence);
    waiting.end(pulled);
  }

  /** Takes no more messages. A message that the server had already sent goes back to the stream at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.end({ kind: 'stopped' });
    await this.link.leave(this.#subscription);
  }

  #received(message: Msg): void {
    const code = message.headers?.code ?? 0;
    if (code === 0) {
      this.#delivered(message);
      return;
    }
    // Statuses come on the pull's own subject; one of an earlier pull says nothing about this one.
    if (this.#waiting?.subject !== message.subject) return;
    const pulled = meaningOf(code, message.headers?.description ?? '');
    if (pulled === undefined) this.#waiting.silence.refresh();
    else this.end(pulled);
  }

  #delivered(message: Msg): void {
    const delivered = new StreamMessage(message);
    // Nobody waits (a lost pull was served after all, or we are stopping): another replica or slot takes it.
    if (this.#waiting === undefined) delivered.nak(millis(0));
    else this.end({ kind: 'message', message: delivered });
  }
}

/** What a status message says about the pull; undefined for a heartbeat. Codes: nats-server, `server/consumer.go`. */
function meaningOf(code: number, description: string): Pulled | undefined {
  switch (code) {
    case 100:
      return undefined;
    case 404:
    case 408:
      return { kind: 'nothing' };
    case 409:
      return /deleted|shutdown|leadership/i.test(description)
        ? { kind: 'gone', reason: description }
        : { kind: 'busy', reason: description };
    default:
      return { kind: 'gone', reason: code === 503 ? 'no such consumer' : `${code} ${description}` };
  }
}
