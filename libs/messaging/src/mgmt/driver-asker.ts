import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { millis, seconds, TransientError, type Duration, observed } from '@windlass/foundation';
import type { EnrolmentStore } from '../enrolment/enrolment-store.js';
import { encode, UndecodableMessage } from '../envelope/envelope.js';
import type { MessagingLog, NatsLink } from '../link/nats-link.js';
import { tooLarge } from '../link/too-large.js';
import type { RepeatOptions, RequestOptions } from '../request/request-client.js';
import type { CoreKeys } from '../sealing/core-keys.js';
import { DRIVER_CONTRACT, REBUILD_DRIVER, type DriverContract } from './mgmt-contracts.js';
import { answerOf } from './answer-judge.js';
import { DriverQuestion } from './driver-question.js';
import { KnownDriverKeys } from './known-driver-keys.js';
import { ProofKeys } from './proof.js';

/** The pause between two tries; a random part of up to half of it is added. */
const FIRST_PAUSE = millis(100);
const MAX_PAUSE = seconds(2);
/** How long the driver's answer is still waited for after "nobody is there", which anybody could have sent. */
const NO_RESPONDER_PAUSE = millis(250);

/** What is kept of a driver: who must have written its answers. */
export interface AskedDriver {
  /** Its name in VNFDs. */
  driver: string;
  /** The service whose enrolled keys prove the driver's answers. */
  service: string;
  /** Absent where a driver of version 1 announced itself. */
  contract?: number;
}

export interface DriverAskerOptions {
  link: NatsLink;
  /** The coordinators' keys. Each request names the newest: drivers need not be told of a changed master key. */
  coreKeys: CoreKeys;
  enrolments: Pick<EnrolmentStore, 'keysOf'>;
  log: MessagingLog;
}

/** Asks management drivers. An answer counts only with the proof of a key that is enrolled for the driver's service. */
export class DriverAsker {
  readonly #keys: KnownDriverKeys;
  readonly #secrets = new ProofKeys('core');

  constructor(private readonly options: DriverAskerOptions) {
    this.#keys = new KnownDriverKeys(options.enrolments);
  }

  /**
   * Asks once.
   * @throws TransientError `messaging.no-answer`, `messaging.no-responders`, `messaging.disconnected`; `driver.unproven-answer` when answers
   *   came and none of them was the driver's; `driver.contract-version-1`
   * @throws WindlassError the driver's error, of the same subclass and code
   * @throws UndecodableMessage when what the driver proved does not follow the contract
   * @throws TerminalError `messaging.too-large`, `messaging.forbidden`
   */
  ask<Ask, Reply>(
    driver: AskedDriver,
    contract: DriverContract<Ask, Reply>,
    ask: Ask,
    { within = seconds(5), tenant, signal }: RequestOptions = {},
  ): Promise<Reply> {
    return observed({ kind: 'message', name: `ask ${contract.name}` }, () =>
      this.#once(driver, contract, ask, { within, tenant, signal, again: false }),
    );
  }

  /**
   * Asks until the driver answers with something else than a transient error.
   * @throws TransientError the last error seen, when the limit is reached or the signal aborts
   * @throws WindlassError any other error of the driver's, at once
   */
  askUntilAnswered<Ask, Reply>(
    driver: AskedDriver,
    contract: DriverContract<Ask, Reply>,
    ask: Ask,
    { each = seconds(3), within, tenant, signal }: RepeatOptions = {},
  ): Promise<Reply> {
    return observed({ kind: 'message', name: `ask ${contract.name}` }, async () => {
      const until = performance.now() + (within ?? Number.POSITIVE_INFINITY);
      for (let next: number = FIRST_PAUSE; ; next = Math.min(next * 2, MAX_PAUSE)) {
        const limit = millis(Math.max(1, Math.min(each, until - performance.now())));
        try {
          return await this.#once(driver, contract, ask, { within: limit, tenant, signal, again: true });
        } catch (error) {
          if (!(error instanceof TransientError)) throw error;
          const wait = Math.max(next, error.retryAfter ?? 0) * (1 + Math.random() / 2);
          if (signal?.aborted === true || performance.now() + wait >= until) throw error;
          // An abort ends the pause: the next try throws.
          await pause(wait, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
        }
      }
    });
  }

  async #once<Ask, Reply>(driver: AskedDriver, contract: DriverContract<Ask, Reply>, ask: Ask, how: HowAsked): Promise<Reply> {
    if (driver.contract !== DRIVER_CONTRACT) throw ofVersion1(driver);
    const { link } = this.options;
    const since = performance.now();
    await link.connected(how.within, how.signal);
    const left = () => how.within - (performance.now() - since);
    const question = await this.#question(driver, contract, ask, how.tenant);
    try {
      question.send();
      for (let next: number = FIRST_PAUSE; ; next = Math.min(next * 2, MAX_PAUSE)) {
        let heard = await question.hear(left(), 'nobody', how.signal);
        // A stranger who is faster may have sent "nobody serves the subject": the driver's answer is still listened for.
        if (heard.kind === 'nobody')
          heard = await question.hear(Math.min(how.again ? next : NO_RESPONDER_PAUSE, left()), 'answer', how.signal);
        if (heard.kind === 'answer') return answerOf(heard.body, contract);
        if (!how.again || left() <= 0) throw question.unanswered(how.within);
        question.send();
      }
    } finally {
      question.close();
    }
  }

  async #question<Ask>(
    { driver, service }: AskedDriver,
    contract: DriverContract<Ask, unknown>,
    ask: Ask,
    tenant: string | undefined,
  ): Promise<DriverQuestion> {
    const { link, coreKeys, log } = this.options;
    const checked = contract.ask.check(ask);
    if (!checked.ok) throw new UndecodableMessage(`a ${contract.name}.ask we were about to send`, checked.wrong);
    const pair = coreKeys.newest;
    const nonce = randomBytes(32).toString('base64url');
    const bytes = encode(`${contract.name}.request`, contract.request, { v: 2, askedBy: pair.public.x, nonce, ask }, { tenant });
    if (bytes.length > link.maxPayload) throw tooLarge(`a message to ${contract.subject}`, bytes.length, link.maxPayload);
    return new DriverQuestion({
      link,
      request: { contract, nonce, bytes, pair },
      keys: await this.#keys.of(service),
      lookAgain: () => this.#keys.of(service, true),
      secrets: this.#secrets,
      log,
      driver,
    });
  }
}

interface HowAsked {
  within: Duration;
  tenant: string | undefined;
  signal: AbortSignal | undefined;
  /** Where nobody serves the subject: whether to send the request again, or to throw. */
  again: boolean;
}

const ofVersion1 = ({ driver, service }: AskedDriver): TransientError =>
  new TransientError(
    'driver.contract-version-1',
    `the management driver ${driver} was last announced by version 1 of its contract, which proves nothing: ${REBUILD_DRIVER}, and start ${service}`,
  );
