import { NoRespondersError, PermissionViolationError, TimeoutError, type Msg } from '@nats-io/transport-node';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  describeDuration,
  millis,
  seconds,
  TerminalError,
  TransientError,
  type Duration,
  childTrace,
  inTrace,
  observed,
} from '@windlass/foundation';
import type { Contract } from '../contracts/contract.js';
import { dataOf, encode, openEnvelope, UndecodableMessage, type Envelope } from '../envelope/envelope.js';
import { ERROR_TYPE, errorFrom, errorRule } from '../envelope/error-envelope.js';
import type { NatsLink } from '../link/nats-link.js';
import { tooLarge } from '../link/too-large.js';

export interface RequestOptions {
  /** How long to wait for the answer; 5 s by default. */
  within?: Duration;
  /** The project on whose behalf. */
  tenant?: string;
  /** Ends the wait. The request may be handled all the same. */
  signal?: AbortSignal;
}

export interface RepeatOptions extends Omit<RequestOptions, 'within'> {
  /** How long one try waits for its answer; 3 s by default. */
  each?: Duration;
  /** How long all tries together may take; without it, until `signal` aborts. */
  within?: Duration;
}

/** Pauses between two tries: grow from the first to the last, each with up to half as much again at random. */
const FIRST_PAUSE = millis(100);
const MAX_PAUSE = seconds(2);

/** Asks on NATS and returns the answer, both checked against the contract. */
export class RequestClient {
  constructor(private readonly link: NatsLink) {}

  /**
   * Asks once.
   * @throws TransientError `messaging.no-answer`, `messaging.no-responders` (nobody serves the subject), `messaging.disconnected`
   * @throws WindlassError the error the other side answered with, of the same subclass and code
   * @throws UndecodableMessage when the answer does not follow the contract
   * @throws TerminalError `messaging.too-large`; `messaging.forbidden` when our NATS user may not ask
   */
  async request<Request, Reply>(contract: Contract<Request, Reply>, data: Request, options: RequestOptions = {}): Promise<Reply> {
    return asked(contract.name, () => {
      const wrapping = { id: randomUUID(), tenant: options.tenant };
      const bytes = encode(`${contract.name}.request`, contract.request, data, wrapping);
      return this.#ask(contract, wrapping.id, bytes, options.within ?? seconds(5), options.signal);
    });
  }

  /**
   * Asks until there is an answer: no answer in time, nobody serving, a lost connection and transient errors of the other side are tried again,
   * with the same message id. What the other side does must be right when done twice.
   * @throws TransientError the last one seen, when the limit is reached or the signal aborts
   * @throws WindlassError any other error the other side answered with, at once
   */
  async requestUntilAnswered<Request, Reply>(
    contract: Contract<Request, Reply>,
    data: Request,
    options: RepeatOptions = {},
  ): Promise<Reply> {
    return asked(contract.name, () => {
      const wrapping = { id: randomUUID(), tenant: options.tenant };
      const bytes = encode(`${contract.name}.request`, contract.request, data, wrapping);
      return this.#repeat(contract, wrapping.id, bytes, options);
    });
  }

  async #repeat<Request, Reply>(
    contract: Contract<Request, Reply>,
    id: string,
    bytes: Uint8Array,
    options: RepeatOptions,
  ): Promise<Reply> {
    const until = performance.now() + (options.within ?? Number.POSITIVE_INFINITY);
    for (let next: number = FIRST_PAUSE; ; next = Math.min(next * 2, MAX_PAUSE)) {
      const left = until - performance.now();
      try {
        return await this.#ask(
          contract,
          id,
          bytes,
          millis(Math.max(1, Math.min(options.each ?? seconds(3), left))),
          options.signal,
        );
      } catch (error) {
        if (!(error instanceof TransientError)) throw error;
        const wait = Math.max(next, error.retryAfter ?? 0) * (1 + Math.random() / 2);
        if (options.signal?.aborted === true || performance.now() + wait >= until) throw error;
        await interruptiblePause(wait, options.signal, error);
      }
    }
  }

  async #ask<Request, Reply>(
    contract: Contract<Request, Reply>,
    id: string,
    bytes: Uint8Array,
    within: Duration,
    signal?: AbortSignal,
  ): Promise<Reply> {
    if (bytes.length > this.link.maxPayload)
      throw tooLarge(`a message to ${contract.subject}`, bytes.length, this.link.maxPayload);
    const started = performance.now();
    await this.link.connected(within, signal);
    const left = Math.max(1, Math.round(within - (performance.now() - started)));
    try {
      const answer = await raced(
        this.link.request(contract.subject, bytes, millis(left), (message) => answerTo(id, message)),
        contract.subject,
        signal,
      );
      return readReply(contract, answer);
    } catch (error) {
      throw translated(error, contract.subject, within);
    }
  }
}

/** Claims and results are told by the spans of steps: a span for each would say nothing more. */
const asked = <T>(name: string, ask: () => Promise<T>): Promise<T> =>
  name.startsWith('saga.') ? inTrace(childTrace(), ask) : observed({ kind: 'message', name: `ask ${name}` }, ask);

/**
 * The envelope, if it answers our request: it names its id, which only who was asked has seen. A captured service can make others send their
 * answers to an inbox whose name it knows; those answer its own requests.
 */
function answerTo(id: string, message: Msg): Envelope<unknown> | undefined {
  try {
    const envelope = openEnvelope(message.data);
    return envelope.inReplyTo === id ? envelope : undefined;
  } catch (error) {
    if (error instanceof UndecodableMessage) return undefined;
    throw error;
  }
}

function readReply<Request, Reply>(contract: Contract<Request, Reply>, envelope: Envelope<unknown>): Reply {
  if (envelope.type === ERROR_TYPE) throw errorFrom(dataOf(envelope, ERROR_TYPE, errorRule));
  return dataOf(envelope, `${contract.name}.reply`, contract.reply);
}

/** The answer, or a TransientError as soon as the signal aborts. */
async function raced<T>(answer: Promise<T>, subject: string, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return answer;
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () =>
      reject(new TransientError('messaging.given-up', `the request to ${subject} was given up`, { cause: signal.reason }));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort);
    answer.catch(() => undefined); // given up: whatever becomes of it, nobody waits for it any more
  }
}

/** A pause that a signal ends with the error that led to it. */
async function interruptiblePause(wait: number, signal: AbortSignal | undefined, error: TransientError): Promise<void> {
  try {
    await pause(wait, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw error; // aborted: the caller learns why there was no answer
  }
}

/** The border between the NATS library's errors and ours. Errors that the other side answered with pass. */
function translated(error: unknown, subject: string, within: Duration): unknown {
  if (error instanceof NoRespondersError) {
    return new TransientError('messaging.no-responders', `nobody serves ${subject} now`, { cause: error });
  }
  if (error instanceof PermissionViolationError) {
    return new TerminalError(
      'messaging.forbidden',
      `our NATS user may not ask ${subject}; "windlass nats-acl" prints what it must be allowed`,
      {
        cause: error,
      },
    );
  }
  if (error instanceof TimeoutError) {
    return new TransientError('messaging.no-answer', `no answer on ${subject} in ${describeDuration(within)}`, { cause: error });
  }
  if (error instanceof Error && isConnectionTrouble(error)) {
    return new TransientError('messaging.disconnected', `the connection to NATS was lost while asking ${subject}`, {
      cause: error,
    });
  }
  return error;
}

/** Errors of the NATS library that pass when the connection is back, by their class names. */
const CONNECTION_TROUBLE = ['ConnectionError', 'ClosedConnectionError', 'DrainingConnectionError'];

const isConnectionTrouble = (error: Error): boolean =>
  CONNECTION_TROUBLE.includes(error.name) || (error.cause instanceof Error && CONNECTION_TROUBLE.includes(error.cause.name));
