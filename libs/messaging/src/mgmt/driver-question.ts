import { PermissionViolationError, type Msg, type Subscription } from '@nats-io/transport-node';
import { describeDuration, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import type { WorkerKey } from '../enrolment/enrolment-store.js';
import type { MessagingLog, NatsLink } from '../link/nats-link.js';
import { REBUILD_DRIVER } from './mgmt-contracts.js';
import { judge, type AskedRequest, type Judgement, type UnprovenReason } from './answer-judge.js';
import type { ProofKeys } from './proof.js';

/**
 * How much one question checks before it gives up. A stranger who floods the inbox keeps the driver's answer from this operation, and takes no
 * processor time from other operations. The check of a small answer takes some 20 µs, of an answer of 2 MiB some 20 ms.
 */
const MAX_UNPROVEN = { answers: 1_000, bytes: 64 * 1024 * 1024 };

/** The status of a message by which the server says that nobody subscribes to what was asked. */
const NO_RESPONDERS = 503;

export interface QuestionOptions {
  link: NatsLink;
  request: AskedRequest;
  /** The keys that the driver's service had when the question was sent. */
  keys: ReadonlyMap<string, WorkerKey>;
  /** Reads the keys again, once: the service may have got a key since. */
  lookAgain: () => Promise<ReadonlyMap<string, WorkerKey>>;
  secrets: ProofKeys;
  log: MessagingLog;
  /** The driver's name, for people. */
  driver: string;
}

/** The state of a question. */
export type Heard = { kind: 'answer'; body: string } | { kind: 'nobody' } | { kind: 'silence' };

/**
 * A question to a driver, with an inbox of its own. Each message in the inbox is checked; a message without the driver's proof is dropped and
 * logged. A forged answer that is faster than the driver's changes nothing. Dropped messages are not kept.
 */
export class DriverQuestion {
  readonly #inbox: string;
  readonly #subscription: Subscription;
  readonly #unproven = new Map<UnprovenReason, number>();
  #unprovenBytes = 0;
  #keys: ReadonlyMap<string, WorkerKey>;
  #look: 'due' | 'under way' | 'done' = 'due';
  /** The answer that waits until the keys are read again. */
  #held: Msg | undefined;
  #outcome: { body: string } | { error: Error } | undefined;
  #nobody = false;
  #wake: () => void = () => undefined;

  constructor(private readonly options: QuestionOptions) {
    const { link, request, keys } = options;
    this.#keys = keys;
    this.#inbox = link.newInbox();
    this.#subscription = link.connection.subscribe(this.#inbox, {
      callback: (error, message) => (error === null ? this.#received(message) : this.#end({ error })),
    });
    // By this name the NATS library reports a refused publication to the subscription, as it does for its own requests.
    Object.assign(this.#subscription, { requestSubject: request.contract.subject });
  }

  /** Sends the question, or sends it again: a second answer to the same question is as good as the first. */
  send(): void {
    const { link, request } = this.options;
    this.#nobody = false;
    link.connection.publish(request.contract.subject, request.bytes, { reply: this.#inbox });
  }

  /**
   * Listens for so long.
   * @throws TransientError when more unproven answers came than are checked, or the signal aborted
   */
  async hear(within: Duration | number, until: 'answer' | 'nobody', signal?: AbortSignal): Promise<Heard> {
    const limit = performance.now() + within;
    for (;;) {
      if (signal?.aborted === true) throw this.#givenUp(signal);
      const outcome = this.#outcome;
      if (outcome !== undefined) {
        if ('error' in outcome) throw outcome.error;
        return { kind: 'answer', body: outcome.body };
      }
      if (this.#nobody && until === 'nobody') return { kind: 'nobody' };
      const left = limit - performance.now();
      if (left <= 0) return { kind: this.#nobody ? 'nobody' : 'silence' };
      await this.#woken(left, signal);
    }
  }

  /** The error when the time is over. */
  unanswered(within: Duration): TransientError {
    const { driver, request } = this.options;
    const { subject } = request.contract;
    const count = this.#count();
    if (count === 0) {
      return this.#nobody
        ? new TransientError('messaging.no-responders', `nobody serves ${subject} now`)
        : new TransientError('messaging.no-answer', `no answer on ${subject} in ${describeDuration(within)}`);
    }
    if (this.#unproven.get('version-1') === count) {
      return new TransientError(
        'driver.contract-version-1',
        `the management driver ${driver} answers by version 1 of its contract, which proves nothing: ${REBUILD_DRIVER}`,
      );
    }
    return new TransientError(
      'driver.unproven-answer',
      `${count} answers came for the management driver ${driver}, none of them proven by a key that is enrolled for its service (${this.#reasons()}): ` +
        'look at the log for who answers in its place, and see that the driver runs with an enrolled key ("windlass enrolment list")',
    );
  }

  /** Stops listening, and logs what was dropped. */
  close(): void {
    if (!this.#subscription.isClosed()) this.#subscription.unsubscribe();
    this.#release(() => ({ unproven: 'foreign-key' }));
    if (this.#count() > this.#unproven.size)
      this.#tell('answers to a driver’s question were dropped', { reasons: this.#reasons() });
  }

  #received(message: Msg): void {
    if (this.#outcome !== undefined) return;
    if (message.data.length === 0 && message.headers?.code === NO_RESPONDERS) {
      this.#nobody = true;
      this.#wake();
      return;
    }
    const judgement = this.#judged(message);
    if (isForeign(judgement) && this.#look !== 'done') this.#lookAgain(message);
    else this.#take(judgement, message);
  }

  #judged({ data }: Msg): Judgement {
    return judge(data, this.options.request, this.#keys, this.options.secrets);
  }

  /** The answer that waits is checked again; further answers of unknown keys are dropped meanwhile. */
  #lookAgain(held: Msg): void {
    if (this.#look === 'under way') {
      this.#take({ unproven: 'foreign-key' }, held);
      return;
    }
    this.#look = 'under way';
    this.#held = held;
    this.options.lookAgain().then(
      (keys) => {
        this.#keys = keys;
        this.#look = 'done';
        this.#release((message) => this.#judged(message));
      },
      (error: unknown) => {
        this.#look = 'done';
        this.#tell('the keys of a driver’s service could not be looked up again', { error: String(error) });
        this.#release(() => ({ unproven: 'foreign-key' }));
      },
    );
  }

  #release(judged: (message: Msg) => Judgement): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#take(judged(held), held);
  }

  #take(judgement: Judgement, { data }: Msg): void {
    if ('body' in judgement) {
      this.#end({ body: judgement.body });
      return;
    }
    const { unproven } = judgement;
    const before = this.#unproven.get(unproven) ?? 0;
    this.#unproven.set(unproven, before + 1);
    this.#unprovenBytes += data.length;
    // The first message of a kind is logged at once, the number of messages at the end.
    if (before === 0) this.#tell('an answer to a driver’s question is not the driver’s and is dropped', { reason: unproven });
    if (this.#count() < MAX_UNPROVEN.answers && this.#unprovenBytes < MAX_UNPROVEN.bytes) return;
    this.#end({ error: this.unanswered(0 as Duration) });
  }

  #end(outcome: { body: string } | { error: Error }): void {
    this.#outcome ??= 'error' in outcome ? { error: this.#translated(outcome.error) } : outcome;
    if (!this.#subscription.isClosed()) this.#subscription.unsubscribe();
    this.#wake();
  }

  #translated(error: Error): Error {
    if (!(error instanceof PermissionViolationError)) return error;
    const { subject } = this.options.request.contract;
    const detail = `our NATS user may not ask ${subject}; "windlass nats-acl" prints what it must be allowed`;
    return new TerminalError('messaging.forbidden', detail, { cause: error });
  }

  #woken(within: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, within);
      this.#wake = wake;
      signal?.addEventListener('abort', wake);
    });
  }

  #givenUp(signal: AbortSignal): TransientError {
    const { subject } = this.options.request.contract;
    return new TransientError('messaging.given-up', `the request to ${subject} was given up`, { cause: signal.reason });
  }

  #tell(message: string, fields: Readonly<Record<string, unknown>>): void {
    const { log, driver, request } = this.options;
    log.warn(message, { driver, subject: request.contract.subject, answers: this.#count(), ...fields });
  }

  #count(): number {
    return [...this.#unproven.values()].reduce((sum, count) => sum + count, 0);
  }

  #reasons(): string {
    return [...this.#unproven].map(([reason, count]) => `${reason}: ${count}`).join(', ');
  }
}

const isForeign = (judgement: Judgement): boolean => 'unproven' in judgement && judgement.unproven === 'foreign-key';
