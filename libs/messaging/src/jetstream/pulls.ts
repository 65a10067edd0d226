import type { Msg, Subscription } from '@nats-io/transport-node';
import { millis, type Duration } from '@windlass/foundation';
import type { NatsLink } from '../link/nats-link.js';
import { StreamMessage } from './stream-message.js';

/** How one wait for a message ended. */
export type Pulled =
  | { kind: 'message'; message: StreamMessage }
  /** Nothing came: wait again. */
  | { kind: 'nothing' }
  /** The consumer, its stream or the server is not what it was: look before waiting again. */
  | { kind: 'gone'; reason: string }
  /** The server takes no pull now: wait again a little later. */
  | { kind: 'busy'; reason: string }
  | { kind: 'stopped' };

/** While a pull waits, the server sends six heartbeats for the pull. Silence for two and a half heartbeats means that the pull is lost. */
const HEARTBEATS_IN_A_PULL = 6;
const SILENT_HEARTBEATS = 2.5;
/** nats-server refuses a pull that lasts less than two of its heartbeats. */
const HEARTBEATS_AT_LEAST = 2;

const nanos = (ms: number): number => Math.round(ms * 1_000_000);

/** A pull that the server has: for how many messages, and when the server last showed that it is there. */
interface Pull {
  messages: number;
  heard: number;
}

/**
 * Asks the server for as many messages as there are workers who wait for one, and never for more. So no message waits here behind a slow one, as happens
 * with the library's `consume()`, which fetches ahead. Workers who begin to wait at one moment share a pull, and all pulls of a time end together, so that
 * an idle service has one, and one heartbeat, however many workers it has.
 */
export class Pulls {
  readonly #subscription: Subscription;
  readonly #waiting: ((pulled: Pulled) => void)[] = [];
  /** By the subject of their answers. A pull whose messages have all come says nothing, and stays here until it has been silent for long. */
  readonly #pulls = new Map<string, Pull>();
  /** Messages that the server was asked for and has not sent. */
  #outstanding = 0;
  #count = 0;
  #asking: NodeJS.Immediate | undefined;
  #looking: NodeJS.Timeout | undefined;
  /** When the pulls of this time end. */
  #endsAt = 0;
  #stopped = false;
  readonly #heartbeat: number;

  constructor(
    private readonly link: NatsLink,
    private readonly nextSubject: string,
    /** A new inbox; no other user may subscribe below it. */
    private readonly inbox: string,
    /** The server answers a pull at the latest after this. */
    private readonly expires: Duration,
    onError: (error: Error) => void,
  ) {
    this.#heartbeat = expires / HEARTBEATS_IN_A_PULL;
    this.#subscription = link.connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#received(message);
        else onError(error);
      },
    });
  }

  /** Waits for one message, and resolves with how that ended. */
  take(): Promise<Pulled> {
    if (this.#stopped) return Promise.resolve({ kind: 'stopped' });
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#asking ??= setImmediate(() => this.#ask());
    });
  }

  /** Ends all that waits. What the server still sends for it goes back to the stream. */
  end(pulled: Pulled): void {
    this.#pulls.clear();
    this.#outstanding = 0;
    clearInterval(this.#looking);
    this.#looking = undefined;
    for (const end of this.#waiting.splice(0)) end(pulled);
  }

  /** Takes no more messages. A message that the server had already sent goes back to the stream at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearImmediate(this.#asking);
    this.end({ kind: 'stopped' });
    await this.link.leave(this.#subscription);
  }

  /** Asks for as many messages as are waited for and were not asked for. */
  #ask(): void {
    this.#asking = undefined;
    const messages = this.#waiting.length - this.#outstanding;
    if (messages <= 0) return;
    const now = performance.now();
    if (this.#endsAt - now < HEARTBEATS_AT_LEAST * this.#heartbeat) this.#endsAt = now + this.expires;
    this.#count += 1;
    const subject = `${this.inbox}.${this.#count}`;
    const request = { batch: messages, expires: nanos(this.#endsAt - now), idle_heartbeat: nanos(this.#heartbeat) };
    this.#pulls.set(subject, { messages, heard: now });
    this.#outstanding += messages;
    this.#looking ??= setInterval(() => this.#look(), this.#heartbeat / 2);
    try {
      this.link.connection.publish(this.nextSubject, JSON.stringify(request), { reply: subject });
    } catch (error) {
      this.end({ kind: 'gone', reason: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Of pulls that were silent for long all messages have come, or the server has lost them: which, their number tells. */
  #look(): void {
    const silentSince = performance.now() - this.#heartbeat * SILENT_HEARTBEATS;
    for (const [subject, { heard }] of this.#pulls) if (heard < silentSince) this.#pulls.delete(subject);
    let there = 0;
    for (const { messages } of this.#pulls.values()) there += messages;
    if (this.#outstanding > there) this.end({ kind: 'gone', reason: 'the server is silent' });
    else if (this.#pulls.size === 0) {
      clearInterval(this.#looking);
      this.#looking = undefined;
    }
  }

  #received(message: Msg): void {
    const code = message.headers?.code ?? 0;
    if (code === 0) {
      this.#delivered(message);
      return;
    }
    // Statuses come on the pull's own subject; one of a pull that was given up says nothing.
    const pull = this.#pulls.get(message.subject);
    if (pull === undefined) return;
    const pulled = meaningOf(code, message.headers?.description ?? '');
    if (pulled === undefined) pull.heard = performance.now();
    else if (pulled.kind === 'gone') this.end(pulled);
    else this.#over(message, pull, pulled);
  }

  /** A pull has ended before all its messages came: as many workers are told. */
  #over(message: Msg, { messages }: Pull, pulled: Pulled): void {
    this.#pulls.delete(message.subject);
    const left = message.headers?.get('Nats-Pending-Messages') ?? '';
    const unsent = Math.min(left === '' ? messages : Number(left), this.#outstanding);
    this.#outstanding -= unsent;
    for (const end of this.#waiting.splice(0, unsent)) end(pulled);
  }

  #delivered(message: Msg): void {
    const delivered = new StreamMessage(message);
    // A message does not say which pull it is of, and the server sends no heartbeat soon after a message.
    const now = performance.now();
    for (const pull of this.#pulls.values()) pull.heard = now;
    this.#outstanding = Math.max(0, this.#outstanding - 1);
    const end = this.#waiting.shift();
    // Nobody waits (a lost pull was served after all, or we are stopping): another replica or worker takes it.
    if (end === undefined) delivered.nak(millis(0));
    else end({ kind: 'message', message: delivered });
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
