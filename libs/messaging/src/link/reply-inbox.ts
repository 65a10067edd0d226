import {
  NoRespondersError,
  TimeoutError,
  type Msg,
  type NatsConnection,
  type PermissionViolationError,
  type Subscription,
} from '@nats-io/transport-node';
import { randomUUID } from 'node:crypto';
import type { Duration } from '@windlass/foundation';
import type { MessagingLog } from './messaging-log.js';

interface Waiting {
  subject: string;
  /** Takes a message as the answer; false where the message does not answer this request. */
  takes: (message: Msg) => boolean;
  fail: (error: Error) => void;
}

/** The status of an empty message from the server: nobody serves the subject. */
const NO_RESPONDERS = 503;

/**
 * The inbox for answers to our requests: one subscription, and a random token for each request. The service that is asked learns the subject of its
 * own answer, and nothing about the subjects of other answers.
 */
export class ReplyInbox {
  readonly #waiting = new Map<string, Waiting>();
  #subscription: Subscription | undefined;

  constructor(
    private readonly connection: NatsConnection,
    /** No other user may subscribe below this inbox. */
    private readonly inbox: string,
    private readonly log: MessagingLog,
  ) {}

  /**
   * Asks once.
   * @param read what an answer says; undefined where the message does not answer this request: the message is logged and dropped, and the wait goes
   *   on
   * @throws NoRespondersError, TimeoutError, PermissionViolationError, ConnectionError of the NATS library
   */
  request<T extends object>(
    subject: string,
    bytes: Uint8Array,
    within: Duration,
    read: (answer: Msg) => T | undefined,
  ): Promise<T> {
    this.#subscription ??= this.#subscribe();
    const token = randomUUID();
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => fail(new TimeoutError()), within);
      const over = (): void => {
        clearTimeout(late);
        this.#waiting.delete(token);
      };
      const fail = (error: Error): void => {
        over();
        reject(error);
      };
      const takes = (message: Msg): boolean => {
        const answer = read(message);
        if (answer === undefined) return false;
        over();
        resolve(answer);
        return true;
      };
      this.#waiting.set(token, { subject, takes, fail });
      try {
        this.connection.publish(subject, bytes, { reply: `${this.inbox}.${token}` });
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  /** The server took no message on this subject from us, and does not say which message: all that wait for an answer there wait in vain. */
  forbidden(error: PermissionViolationError): void {
    if (error.operation !== 'publish') return;
    for (const { subject, fail } of [...this.#waiting.values()]) if (subject === error.subject) fail(error);
  }

  /** Nothing comes any more. */
  close(error: Error): void {
    for (const { fail } of [...this.#waiting.values()]) fail(error);
  }

  #subscribe(): Subscription {
    return this.connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#received(message);
        else {
          this.#subscription = undefined;
          this.close(error);
        }
      },
    });
  }

  #received(message: Msg): void {
    const waiting = this.#waiting.get(message.subject.slice(this.inbox.length + 1));
    // The wait was given up, or its answer has come already.
    if (waiting === undefined) return;
    if (message.data.length === 0 && message.headers?.code === NO_RESPONDERS)
      waiting.fail(new NoRespondersError(waiting.subject));
    else if (!waiting.takes(message))
      this.log.warn('what came as an answer belongs to no request of ours and is dropped', { asked: waiting.subject });
  }
}
