import { Server, type BaseRpcContext, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { Msg, Subscription } from '@nats-io/transport-node';
import { isObservable, lastValueFrom } from 'rxjs';
import { InvariantError, seconds, type Duration, inTrace, receivedTrace } from '@windlass/foundation';
import { dataOf, openEnvelope } from '../envelope/envelope.js';
import { PullConsumer } from '../jetstream/pull-consumer.js';
import type { StreamMessage } from '../jetstream/stream-message.js';
import type { MessagingLog, NatsLink } from '../link/nats-link.js';
import { RequestServer } from '../request/request-server.js';
import type { HandlerRole } from './decorators.js';
import { DeliveryContext, EventContext, RequestContext } from './message-context.js';

export interface StrategyOptions {
  link: NatsLink;
  /** The queue group of requests: replicas of a service share it. */
  service: string;
  log: MessagingLog;
  /** The NATS user, whose inboxes the strategy uses. */
  user?: string;
  /** How many messages one consumer handles at a time, where its decorator does not say. */
  workers?: number;
  /** How long a service that stops waits for the messages in its hands; 15 s by default. */
  drainWithin?: Duration;
  /** What every consumer waits for before each pull ({@link ConsumerSpec.admitted}). */
  admitted?: () => Promise<void> | undefined;
}

/**
 * Nest's transport over NATS: requests (`@Serves`) by queue groups on core NATS, work (`@Consumes`, `@AnswersWakeUps`) by durable pull
 * consumers on JetStream, and events without acknowledgement (`@Hears`).
 */
export class JetStreamStrategy extends Server implements CustomTransportStrategy {
  /** The strategy reports a failed handler of a message: the failure decides over ack, nak and term. */
  override readonly propagatesEventHandlerErrors = true;
  readonly #requests: RequestServer;
  readonly #consumers: PullConsumer[] = [];
  readonly #heard: Subscription[] = [];
  #taking = true;

  constructor(private readonly options: StrategyOptions) {
    super();
    this.#requests = new RequestServer(options.link, options.service, options.log);
  }

  /** Called by Nest when all handlers are registered. */
  override listen(callback: (error?: unknown) => void): void {
    try {
      for (const [pattern, handler] of this.messageHandlers) this.#bind(pattern, handler);
      callback();
    } catch (error) {
      callback(error);
    }
  }

  /** Whether every consumer exists and pulls: part of readiness. */
  get ready(): boolean {
    return this.#taking && this.options.link.state.connected && this.#consumers.every((consumer) => consumer.ready);
  }

  /** How many requests and messages are being handled now. */
  get busy(): number {
    return this.#requests.busy + this.#consumers.reduce((sum, consumer) => sum + consumer.busy, 0);
  }

  /** Takes no more work. Requests are still answered: steps that end now report through requests to other services. */
  async stopTaking(): Promise<void> {
    this.#taking = false;
    await Promise.all(this.#consumers.map((consumer) => consumer.stopTaking()));
  }

  /** Called by Nest when the application closes. Handlers that run end first, within the limit. The link stays open. */
  override async close(): Promise<void> {
    const within = this.options.drainWithin ?? seconds(15);
    await this.stopTaking();
    await Promise.all(this.#heard.splice(0).map((subscription) => this.options.link.leave(subscription)));
    await Promise.all([
      ...this.#consumers.map((consumer) => consumer.drain(within)),
      settledWithin(this.#requests.drain(), within),
    ]);
    await this.options.link.flushed();
  }

  override on(): never {
    throw new InvariantError('the JetStream transport has no events of its own; look at its link');
  }

  override unwrap(): never {
    throw new InvariantError('the JetStream transport shares its link with others; use the link that was given to it');
  }

  #bind(pattern: string, handler: MessageHandler): void {
    const role = handler.extras?.windlass as HandlerRole | undefined;
    if (role === undefined) {
      throw new InvariantError(`the handler of ${pattern} has no contract; use @Serves, @Consumes, @AnswersDoorbells or @Hears`);
    }
    if (role.kind === 'serves') {
      this.#requests.serve(role.contract, (data, info) => this.#run(handler, data, new RequestContext(info)));
    } else if (role.kind === 'consumes') {
      const { workers, admitted } = this.options;
      const spec = {
        ...(workers === undefined ? {} : { workers }),
        ...(admitted === undefined ? {} : { admitted }),
        ...role.consumer,
      };
      const consume = (message: StreamMessage) => this.#consume(role, handler, message);
      const consumer = new PullConsumer(this.options.link, spec, consume, this.options.log, this.options.user);
      this.#consumers.push(consumer);
      consumer.start();
    } else {
      this.#hear(role, handler);
    }
  }

  async #consume(role: HandlerRole & { kind: 'consumes' }, handler: MessageHandler, message: StreamMessage): Promise<void> {
    const envelope = openEnvelope(message.data);
    const data = dataOf(envelope, role.event.name, role.event.data);
    await inTrace(receivedTrace(envelope.traceparent), () => this.#run(handler, data, new DeliveryContext(message)));
  }

  #hear(role: HandlerRole & { kind: 'hears' }, handler: MessageHandler): void {
    const heard = async (message: Msg) => {
      const envelope = openEnvelope(message.data);
      const data = dataOf(envelope, role.event.name, role.event.data);
      await inTrace(receivedTrace(envelope.traceparent), () => this.#run(handler, data, new EventContext(message.subject)));
    };
    const subscription = this.options.link.connection.subscribe(role.subject, {
      callback: (error, message) => {
        const work = error === null ? heard(message) : Promise.reject(error);
        work.catch((reason: unknown) =>
          this.options.log.error('an event could not be handled', { subject: role.subject, error: reason }),
        );
      },
    });
    this.#heard.push(subscription);
  }

  /**
   * Runs a handler to its end. Nest's handlers do not reject when the method throws: they resolve to an Observable that errors, so the
   * Observable is waited for before anything is acknowledged. Nest's hooks around each message (its instrumentation) are called.
   */
  #run(handler: MessageHandler, data: unknown, context: BaseRpcContext): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const work = async () => {
        try {
          const result: unknown = await handler(data, context);
          resolve(isObservable(result) ? await lastValueFrom(result, { defaultValue: undefined }) : result);
        } catch (error) {
          reject(error instanceof Error ? error : new InvariantError(`a handler threw ${String(error)}`));
        } finally {
          // Nest sets the hook only where the application is instrumented.
          (this.onProcessingEndHook as typeof this.onProcessingEndHook | undefined)?.(this.transportId ?? TRANSPORT, context);
        }
      };
      this.onProcessingStartHook(this.transportId ?? TRANSPORT, context, work);
    });
  }
}

const TRANSPORT = Symbol('windlass-jetstream');

/** Waits until the work ends, but no longer than the limit. */
async function settledWithin(work: Promise<void>, within: Duration): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, within)));
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
