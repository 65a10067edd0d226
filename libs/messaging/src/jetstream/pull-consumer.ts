import { setTimeout as pause } from 'node:timers/promises';
import { millis, minutes, seconds, TransientError, type Duration } from '@windlass/foundation';
import { newInbox } from '../link/inbox.js';
import type { MessagingLog, NatsLink } from '../link/nats-link.js';
import { Pulls, type Pulled } from './pulls.js';
import type { StreamMessage } from './stream-message.js';
import { API_CODES, hasApiCode, managerOf, type StreamSpec } from './streams.js';

/** A durable consumer, which a coordinator makes. */
export interface ConsumerSpec {
  readonly stream: StreamSpec;
  /** Replicas that name the same durable share its messages. */
  readonly durable: string;
  readonly subject: string;
  /** How many messages this process handles at a time; 8 by default. */
  readonly workers?: number;
  /** A handler that has not settled its message keeps it from redelivery for this long; 10 min by default. */
  readonly holdAtMost?: Duration;
  /** How long one pull waits at the server before it is renewed; 30 s by default. */
  readonly pullFor?: Duration;
  /** Waited for before each pull: a worker that may not claim leaves wake-ups to others. Undefined: there is nothing to wait for now. */
  readonly admitted?: () => Promise<void> | undefined;
}

/**
 * Handles one delivery. The message is acknowledged when this resolves, if it is not settled by then; a TransientError gives it back to be
 * delivered again later; any other error ends it.
 */
export type MessageHandler = (message: StreamMessage) => Promise<void>;

const DEFAULTS = { workers: 8, holdAtMost: minutes(10), pullFor: seconds(30) };

/** Pauses between two looks for a missing consumer: few requests, and work begins soon after the consumer is made. */
const LOOK_PAUSES = { first: millis(50), longest: millis(500) };

/** How long a look waits for the connection before the log says so. */
const CONNECTED_WITHIN = seconds(2);

/** Pause before a pull that the server had no room for. */
const BUSY_PAUSE = millis(250);

/** Redelivery of a message whose handler failed for now: doubles from the first to the last. */
const NAK_PAUSES = { first: millis(500), longest: seconds(30) };

/** Our end of a durable pull consumer: as many messages are asked for as there are free workers. It waits for the consumer, and again when that is lost. */
export class PullConsumer {
  #pulls: Pulls | undefined;
  readonly #loops: Promise<void>[] = [];
  readonly #inFlight = new Set<StreamMessage>();
  readonly #stopping = new AbortController();
  #found: Promise<void> | undefined;
  #foundAt = -Infinity;
  /** How long the server waits for our word on a message; the consumer says so. */
  #ackWait: Duration = seconds(30);
  #unsubscribe: (() => void) | undefined;
  #ready = false;
  readonly #stopped = new Promise<void>((resolve) => this.#stopping.signal.addEventListener('abort', () => resolve()));

  constructor(
    private readonly link: NatsLink,
    private readonly spec: ConsumerSpec,
    private readonly handler: MessageHandler,
    private readonly log: MessagingLog,
    /** The NATS user, whose inboxes are used. */
    private readonly user?: string,
  ) {}

  /** Whether the consumer was there at the last look and pulls wait on it. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Messages being handled now. */
  get busy(): number {
    return this.#inFlight.size;
  }

  /** Starts pulling, and does not give up: a consumer that is missing is waited for. */
  start(): void {
    this.#unsubscribe = this.link.onReconnect(() => this.#lost('the connection was lost', this.#found));
    const next = `$JS.API.CONSUMER.MSG.NEXT.${this.spec.stream.name}.${this.spec.durable}`;
    const pulls = new Pulls(this.link, next, newInbox(this.user), this.spec.pullFor ?? DEFAULTS.pullFor, (error) => {
      this.log.error('an inbox can’t be listened on', { consumer: this.spec.durable, error: error.message });
    });
    this.#pulls = pulls;
    const workers = this.spec.workers ?? DEFAULTS.workers;
    for (let worker = 0; worker < workers; worker += 1) this.#loops.push(this.#loop(pulls));
  }

  /** Takes no more messages. What is being handled goes on. */
  async stopTaking(): Promise<void> {
    this.#stopping.abort();
    this.#ready = false;
    this.#unsubscribe?.();
    await this.#pulls?.stop();
  }

  /** Takes no more messages and waits for those being handled; after the limit the rest goes back to the stream for other replicas. */
  async drain(within: Duration): Promise<void> {
    await this.stopTaking();
    const limit = new AbortController();
    const late = pause(within, undefined, { signal: limit.signal, ref: false }).then(
      () => true,
      () => false,
    );
    const expired = await Promise.race([Promise.all(this.#loops).then(() => false), late]);
    limit.abort();
    if (!expired) return;
    this.log.warn('stopping while messages are still being handled', {
      consumer: this.spec.durable,
      messages: this.#inFlight.size,
    });
    for (const message of this.#inFlight) message.nak(millis(0));
  }

  /** A method, not a constant: the signal changes while others are awaited. */
  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #loop(pulls: Pulls): Promise<void> {
    while (!this.#isStopping()) {
      this.#found ??= this.#find();
      const found = this.#found;
      await found;
      const admission = this.spec.admitted?.();
      if (admission !== undefined) await Promise.race([admission, this.#stopped]);
      if (this.#isStopping()) return;
      await this.#take(await pulls.take(), found);
    }
  }

  async #take(pulled: Pulled, found: Promise<void>): Promise<void> {
    switch (pulled.kind) {
      case 'message':
        await this.#handle(pulled.message);
        break;
      case 'gone':
        this.#lost(pulled.reason, found);
        break;
      case 'busy':
        this.log.warn('the server takes no pull now', { consumer: this.spec.durable, reason: pulled.reason });
        await this.#pause(BUSY_PAUSE);
        break;
      case 'nothing':
      case 'stopped':
        break;
    }
  }

  /** The first worker that notices ends the waits of all, so that one looks for the consumer on behalf of all. */
  #lost(reason: string, found: Promise<void> | undefined): void {
    if (this.#isStopping() || this.#found === undefined || this.#found !== found) return;
    this.#found = undefined;
    this.#ready = false;
    this.log.warn('looking after a consumer', { consumer: this.spec.durable, reason });
    this.#pulls?.end({ kind: 'gone', reason });
  }

  /** Looks for the consumer until the consumer is there; logs a reason for waiting once. Never rejects. */
  async #find(): Promise<void> {
    const { stream, durable } = this.spec;
    let waitedFor: string | undefined;
    // A consumer that the server is just deleting is found and lost at once: the pause keeps this from repeating without end.
    if (performance.now() - this.#foundAt < LOOK_PAUSES.first) await this.#pause(LOOK_PAUSES.first);
    for (let wait: Duration = LOOK_PAUSES.first; !this.#isStopping(); wait = millis(Math.min(wait * 2, LOOK_PAUSES.longest))) {
      try {
        await this.link.connected(CONNECTED_WITHIN, this.#stopping.signal);
        const manager = await managerOf(this.link.connection);
        const { config } = await manager.consumers.info(stream.name, durable);
        if (config.ack_wait !== undefined) this.#ackWait = millis(config.ack_wait / 1_000_000);
        this.#foundAt = performance.now();
        this.#ready = true;
        if (waitedFor !== undefined) this.log.info('a consumer is there now', { consumer: durable });
        return;
      } catch (error) {
        if (this.#isStopping()) return;
        const reason = isMissing(error) ? 'no coordinator has made it yet' : String(error);
        if (reason !== waitedFor) this.log.warn('waiting for a consumer', { consumer: durable, reason });
        waitedFor = reason;
        await this.#pause(wait);
      }
    }
  }

  async #handle(message: StreamMessage): Promise<void> {
    this.#inFlight.add(message);
    const holdUntil = performance.now() + (this.spec.holdAtMost ?? DEFAULTS.holdAtMost);
    const holding = setInterval(() => {
      if (performance.now() < holdUntil) message.working();
    }, this.#ackWait / 3);
    try {
      await this.handler(message);
      message.ack();
    } catch (error) {
      this.#failed(message, error);
    } finally {
      clearInterval(holding);
      this.#inFlight.delete(message);
    }
  }

  #failed(message: StreamMessage, error: unknown): void {
    const fields = { subject: message.subject, deliveries: message.deliveries, error };
    if (message.settled) {
      this.log.error('a handler failed after it had settled its message', fields);
    } else if (error instanceof TransientError) {
      const again = this.#isStopping() ? millis(0) : (error.retryAfter ?? backoff(message.deliveries));
      this.log.warn('a message is delivered again later', { ...fields, error: error.message, inMs: again });
      message.nak(again);
    } else {
      this.log.error('a message can’t be handled and is dropped', fields);
      message.term();
    }
  }

  async #pause(wait: Duration): Promise<void> {
    const jittered = wait * (0.5 + Math.random() / 2);
    await pause(jittered, undefined, { signal: this.#stopping.signal }).catch(() => undefined); // stopping ends every pause
  }
}

const backoff = (deliveries: number): Duration => millis(Math.min(NAK_PAUSES.first * 2 ** (deliveries - 1), NAK_PAUSES.longest));

const isMissing = (error: unknown): boolean =>
  hasApiCode(error, API_CODES.streamNotFound) || hasApiCode(error, API_CODES.consumerNotFound);
