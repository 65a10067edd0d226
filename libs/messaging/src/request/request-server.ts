import type { Msg, Subscription } from '@nats-io/transport-node';
import { inTrace, observed, receivedTrace, WindlassError, type TraceContext } from '@windlass/foundation';
import type { Contract } from '../contracts/contract.js';
import { dataOf, encode, openEnvelope, type Envelope } from '../envelope/envelope.js';
import { ERROR_TYPE, errorData, errorRule } from '../envelope/error-envelope.js';
import { isInbox } from '../link/inbox.js';
import type { MessagingLog, NatsLink } from '../link/nats-link.js';
import { tooLarge } from '../link/too-large.js';

/** What a handler knows of a request beside its data. */
export interface RequestInfo {
  readonly subject: string;
  /** The envelope's id; a repeated request has the same. */
  readonly id: string;
  readonly tenant: string | undefined;
  readonly sentAt: Date;
  /** The message as it came, for a handler that proves its answer to it. */
  readonly bytes: Uint8Array;
}

export type RequestHandler<Request, Reply> = (data: Request, info: RequestInfo) => Promise<Reply>;

/** The most characters that a log shows of a subject that the asker chose. */
const MAX_SHOWN_LENGTH = 100;

/** Subjects served by this process. All replicas of a service share a queue group, so each request reaches one of them. */
export class RequestServer {
  readonly #subscriptions: Subscription[] = [];
  readonly #inFlight = new Set<Promise<void>>();

  constructor(
    private readonly link: NatsLink,
    /** The queue group: the service's name. */
    private readonly queue: string,
    private readonly log: MessagingLog,
  ) {}

  /** Serves a contract's subject. Errors of the handler are answered as errors. An error that is no WindlassError is logged here in full. */
  serve<Request, Reply>(contract: Contract<Request, Reply>, handler: RequestHandler<Request, Reply>): void {
    const subscription = this.link.connection.subscribe(contract.subject, {
      queue: this.queue,
      callback: (error, message) => {
        if (error !== null) {
          this.log.error('a subject can’t be served', { subject: contract.subject, error: error.message });
          return;
        }
        if (!isInbox(message.reply ?? '')) {
          // The answer would be published with our rights to any subject that the asker names: as a claim, a wake-up, an acknowledgement.
          this.log.warn('a request that wants its answer elsewhere than in an inbox is dropped', {
            subject: message.subject,
            reply: (message.reply ?? '').slice(0, MAX_SHOWN_LENGTH),
          });
          return;
        }
        const work = this.#answer(contract, handler, message).finally(() => this.#inFlight.delete(work));
        this.#inFlight.add(work);
      },
    });
    this.#subscriptions.push(subscription);
  }

  /** Requests being handled now. */
  get busy(): number {
    return this.#inFlight.size;
  }

  /** Takes no more requests; resolves when those taken are answered. */
  async drain(): Promise<void> {
    await Promise.all(this.#subscriptions.splice(0).map((subscription) => this.link.leave(subscription)));
    await Promise.all(this.#inFlight);
  }

  async #answer<Request, Reply>(
    contract: Contract<Request, Reply>,
    handler: RequestHandler<Request, Reply>,
    message: Msg,
  ): Promise<void> {
    let envelope: Envelope<unknown> | undefined;
    try {
      envelope = openEnvelope(message.data);
      const data = dataOf(envelope, `${contract.name}.request`, contract.request);
      const { id, tenant, time } = envelope;
      const info = { subject: message.subject, id, tenant, sentAt: new Date(time), bytes: message.data };
      const reply = await answered(contract.name, receivedTrace(envelope.traceparent), async () => {
        const result = await handler(data, info);
        return encode(`${contract.name}.reply`, contract.reply, result, { tenant, inReplyTo: id });
      });
      this.#respond(message, reply, id);
    } catch (error) {
      if (!(error instanceof WindlassError) || error.code === 'internal.invariant') {
        this.log.error('a request failed unexpectedly', { subject: message.subject, id: envelope?.id, error });
      }
      const wrapping = { tenant: envelope?.tenant, inReplyTo: envelope?.id };
      this.#respond(message, encode(ERROR_TYPE, errorRule, errorData(error), wrapping), envelope?.id);
    }
  }

  /** An answer that can't be sent is logged: who asked will ask again. */
  #respond(message: Msg, bytes: Uint8Array, inReplyTo: string | undefined): void {
    try {
      if (bytes.length > this.link.maxPayload) {
        const data = {
          code: 'messaging.too-large',
          kind: 'terminal' as const,
          status: 500,
          detail: tooLarge('the answer', bytes.length, this.link.maxPayload).message,
        };
        message.respond(encode(ERROR_TYPE, errorRule, data, { inReplyTo }));
      } else message.respond(bytes);
    } catch (error) {
      this.log.warn('an answer could not be sent', { subject: message.subject, error });
    }
  }
}

/** As with the questions: claims and results are told by the spans of steps. */
const answered = <T>(name: string, trace: TraceContext, answer: () => Promise<T>): Promise<T> =>
  name.startsWith('saga.') ? inTrace(trace, answer) : observed({ kind: 'message', name: `answer ${name}` }, answer, trace);
