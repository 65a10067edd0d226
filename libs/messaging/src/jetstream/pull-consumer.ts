import { AckPolicy, DeliverPolicy, type ConsumerConfig, type JetStreamManager } from '@nats-io/jetstream';
import { setTimeout as pause } from 'node:timers/promises';
import { millis, minutes, seconds, TransientError, type Duration } from '@windlass/foundation';
import { inboxPrefixOf, type MessagingLog, type NatsLink } from '../link/nats-link.js';
import { PullSlot, type Pulled } from './pull-slot.js';
import type { StreamMessage } from './stream-message.js';
import { API_CODES, ensureStreams, hasApiCode, managerOf, type StreamSpec } from './streams.js';

/** A durable consumer with one subject; nats-server 2.9 allows no more than one. */
export interface ConsumerSpec {
  readonly stream: StreamSpec;
  /** Replicas that name the same durable share its messages. */
  readonly durable: string;
  readonly subject: string;
  /** How many messages this process handles at a time; 8 by default. */
  readonly workers?: number;
  /** A message neither settled nor extended for this long is delivered again; 30 s by default. */
  readonly ackWait?: Duration;
  /** A handler that has not settled its message keeps it from redelivery for this long; 10 min by default. */
  readonly holdAtMost?: Duration;
  /** Whether this process may make the stream when it is missing; a driver of a third party may not and waits for a coordinator. */
  readonly makesStream?: boolean;
  /** Copies of the stream in a NATS cluster. */
  readonly replicas?: number;
  /** How long one pull waits at the server before it is renewed; 30 s by default. */
  readonly pullFor?: Duration;
  /** Waited for before each pull: a worker that may not claim leaves doorbells to others. Undefined: there is nothing to wait for now. */
  readonly admitted?: () => Promise<void> | undefined;
}

/**
 * Handles one delivery. The message is acknowledged when this resolves, if it is not settled by then; a TransientError gives it back to be
 * delivered again later; any other error ends it.
 */
export type MessageHandler = (message: StreamMessage) => Promise<void>;

const DEFAULTS = { workers: 8, ackWait: seconds(30), holdAtMost: minutes(10), pullFor: seconds(30) };

/** Pauses before the next look at a stream or consumer that could not be made. */
const REMAKE_PAUSES = { first: millis(100), longest: seconds(2) };

/** Pause before a pull that the server had no room for. */
const BUSY_PAUSE = millis(250);

/** Between two looks at a consumer that seems to be stuck: long enough for a delivery under way. */
const STUCK_PAUSE = seconds(1);

/** Redelivery of a message whose handler failed for now: doubles from the first to the last. */
const NAK_PAUSES = { first: millis(500), longest: seconds(30) };

/** Our end of a durable pull consumer: as many pulls as there are free workers, streams and consumers made again when they are lost. */
export class PullConsumer {
  readonly #slots: PullSlot[] = [];
  readonly #loops: Promise<void>[] = [];
  readonly #inFlight = new Set<StreamMessage>();
  readonly #stopping = new AbortController();
  #declared: Promise<void> | undefined;
  #checking: Promise<void> | undefined;
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

  /** Starts pulling, and does not give up: a stream that is missing is made or waited for. */
  start(): void {
    this.#unsubscribe = this.link.onReconnect(() => this.#lost('the connection was lost', this.#declared));
    const next = `$JS.API.CONSUMER.MSG.NEXT.${this.spec.stream.name}.${this.spec.durable}`;
    for (let worker = 0; worker < (this.spec.workers ?? DEFAULTS.workers); worker += 1) {
      const slot = new PullSlot(this.link, next, inboxPrefixOf(this.user), this.spec.pullFor ?? DEFAULTS.pullFor, (error) => {
        this.log.error('an inbox can’t be listened on', { consumer: this.spec.durable, error: error.message });
      });
      this.#slots.push(slot);
      this.#loops.push(this.#loop(slot));
    }
  }

  /** Takes no more messages. What is being handled goes on. */
  async stopTaking(): Promise<void> {
    this.#stopping.abort();
    this.#ready = false;
    this.#unsubscribe?.();
    await Promise.all(this.#slots.map((slot) => slot.stop()));
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

  /** Read anew at each call: it changes while others are awaited. */
  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #loop(slot: PullSlot): Promise<void> {
    while (!this.#isStopping()) {
      this.#declared ??= this.#declare();
      const declared = this.#declared;
      await declared;
      const admission = this.spec.admitted?.();
      if (admission !== undefined) await Promise.race([admission, this.#stopped]);
      if (this.#isStopping()) return;
      await this.#take(await slot.pull(), declared);
    }
  }

  async #take(pulled: Pulled, declared: Promise<void>): Promise<void> {
    switch (pulled.kind) {
      case 'message':
        await this.#handle(pulled.message);
        break;
      case 'gone':
        this.#lost(pulled.reason, declared);
        break;
      case 'busy':
        this.log.warn('the server takes no pull now', { consumer: this.spec.durable, reason: pulled.reason });
        await this.#pause(BUSY_PAUSE);
        break;
      case 'nothing':
        // Beside the pulls: they go on, so that what waits at a healthy server is delivered meanwhile.
        this.#checking ??= this.#remakeIfStuck().finally(() => (this.#checking = undefined));
        break;
      case 'stopped':
        break;
    }
  }

  /**
   * A server that has messages for us, has pulls of ours waiting, and delivers nothing, can't read its own files: after a crash, say, or after
   * a stream was deleted and made again too quickly. Nothing but a new stream helps, and what is in a stream can always be sent again.
   */
  async #remakeIfStuck(): Promise<void> {
    if (this.spec.makesStream === false || this.#isStopping()) return;
    try {
      const manager = await managerOf(this.link.connection);
      const look = () => manager.consumers.info(this.spec.stream.name, this.spec.durable);
      const before = await look();
      if (before.num_pending === 0) return;
      await this.#pause(STUCK_PAUSE);
      const after = await look();
      const moved = after.delivered.consumer_seq !== before.delivered.consumer_seq;
      if (moved || after.num_pending === 0 || after.num_waiting === 0) return;
      this.log.error('a stream holds messages that the server can’t deliver; making it anew', { stream: this.spec.stream.name });
      await manager.streams.delete(this.spec.stream.name);
    } catch (error) {
      this.log.warn('a consumer can’t be looked at', { consumer: this.spec.durable, reason: String(error) });
    }
  }

  /** The first slot that notices ends the waits of all; the consumer is then looked at once. */
  #lost(reason: string, declared: Promise<void> | undefined): void {
    if (this.#isStopping() || this.#declared === undefined || this.#declared !== declared) return;
    this.#declared = undefined;
    this.#ready = false;
    this.log.warn('looking after a consumer', { consumer: this.spec.durable, reason });
    for (const slot of this.#slots) slot.end({ kind: 'gone', reason });
  }

  /** Makes the stream and the consumer, again and again until they are there. Never rejects. */
  async #declare(): Promise<void> {
    for (
      let wait: Duration = REMAKE_PAUSES.first;
      !this.#isStopping();
      wait = millis(Math.min(wait * 2, REMAKE_PAUSES.longest))
    ) {
      try {
        await this.link.connected(REMAKE_PAUSES.longest, this.#stopping.signal);
        await this.#ensure();
        this.#ready = true;
        return;
      } catch (error) {
        if (this.#isStopping()) return;
        this.log.warn('a consumer can’t be made yet', { consumer: this.spec.durable, reason: String(error) });
        await this.#pause(wait);
      }
    }
  }

  async #ensure(): Promise<void> {
    const { stream, makesStream = true, replicas = 1 } = this.spec;
    const manager = await managerOf(this.link.connection);
    try {
      await ensureConsumer(manager, this.spec);
    } catch (error) {
      if (!makesStream || !hasApiCode(error, API_CODES.streamNotFound)) throw error;
      await ensureStreams(this.link, [stream], this.log, replicas);
      await ensureConsumer(manager, this.spec);
    }
  }

  async #handle(message: StreamMessage): Promise<void> {
    this.#inFlight.add(message);
    const ackWait = this.spec.ackWait ?? DEFAULTS.ackWait;
    const holdUntil = performance.now() + (this.spec.holdAtMost ?? DEFAULTS.holdAtMost);
    const holding = setInterval(() => {
      if (performance.now() < holdUntil) message.working();
    }, ackWait / 3);
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

function consumerConfig({ durable, subject, ackWait = DEFAULTS.ackWait }: ConsumerSpec): Partial<ConsumerConfig> {
  return {
    durable_name: durable,
    filter_subject: subject,
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: ackWait * 1_000_000,
    max_deliver: -1,
    // Over all replicas: messages delivered and not yet settled, and pulls that wait.
    max_ack_pending: 1_024,
    max_waiting: 2_048,
  };
}

/** Makes the consumer, or changes it to what we want. Another replica may do the same at the same time. */
async function ensureConsumer(manager: JetStreamManager, spec: ConsumerSpec): Promise<void> {
  const config = consumerConfig(spec);
  try {
    await manager.consumers.add(spec.stream.name, config);
  } catch (error) {
    if (!hasApiCode(error, API_CODES.consumerExists)) throw error;
    await manager.consumers.update(spec.stream.name, spec.durable, config);
  }
}
