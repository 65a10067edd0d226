import { setTimeout as pause } from 'node:timers/promises';
import { minutes, seconds, TerminalError, TransientError } from '@windlass/foundation';
import type { RenewReply } from '@windlass/saga';
import type { RequestClient } from '../request/request-client.js';
import { MOST_RENEWALS, renewAllContract, renewContract, type RenewalsMessage } from './saga-contracts.js';

type Renewal = RenewalsMessage['renewals'][number];

/** How long one try waits for its answer. */
const WITHIN = seconds(3);

/**
 * How long a renewal waits for others, by the claims that its worker holds: who holds a few waits for nobody, and who holds hundreds waits a hundredth of a
 * lease of ten seconds.
 */
const WAIT_FOR_EACH = 1;
const LONGEST_WAIT = 100;
const FEW = 4;

/** Where coordinators, or the users of NATS, are of the release before, it is looked for others so often. */
const AGAIN_AFTER = minutes(1);

interface Asked {
  renewal: Renewal;
  resolve: (reply: RenewReply) => void;
  reject: (error: unknown) => void;
}

/** Renewals of one worker: those that come within a moment go out as one message, and each has its own answer. */
export class GatheredRenewals {
  #asked: Asked[] | undefined;
  #singlyUntil = 0;

  /** @param claims how many claims the worker holds */
  constructor(
    private readonly client: Pick<RequestClient, 'request'>,
    private readonly claims: () => number,
  ) {}

  /** @throws what {@link RequestClient} throws; TransientError `saga.renewal-unanswered` where others of its message were answered */
  ask(renewal: Renewal, signal?: AbortSignal): Promise<RenewReply> {
    const claims = this.claims();
    if (claims <= FEW || performance.now() < this.#singlyUntil) return this.#alone(renewal, signal);
    if (this.#asked === undefined) void this.#send(Math.min(LONGEST_WAIT, claims * WAIT_FOR_EACH), (this.#asked = []));
    const asked = this.#asked;
    const answer = new Promise<RenewReply>((resolve, reject) => asked.push({ renewal, resolve, reject }));
    if (asked.length >= MOST_RENEWALS) this.#asked = undefined;
    return answer;
  }

  #alone(renewal: Renewal, signal?: AbortSignal): Promise<RenewReply> {
    return this.client.request(renewContract, renewal, { within: WITHIN, ...(signal === undefined ? {} : { signal }) });
  }

  async #send(wait: number, asked: Asked[]): Promise<void> {
    await pause(wait);
    if (this.#asked === asked) this.#asked = undefined;
    try {
      if (asked.length === 1) await this.#singly(asked);
      else await this.#together(asked);
    } catch (error) {
      if (isOlder(error)) this.#singlyUntil = performance.now() + AGAIN_AFTER;
      // What is not to be sent as it is may be the fault of one of them.
      if (isOlder(error) || error instanceof TerminalError) await this.#singly(asked);
      else for (const { reject } of asked) reject(error);
    }
  }

  async #together(asked: readonly Asked[]): Promise<void> {
    const message = { renewals: asked.map(({ renewal }) => renewal) };
    const { renewals } = await this.client.request(renewAllContract, message, { within: WITHIN });
    asked.forEach(({ resolve, reject }, at) => {
      const { verdict, ...reply } = renewals[at] ?? { verdict: 'unanswered', leaseFor: 0 };
      if (verdict === 'unanswered') reject(unanswered());
      else resolve({ verdict, ...reply });
    });
  }

  async #singly(asked: readonly Asked[]): Promise<void> {
    await Promise.all(asked.map(({ renewal, resolve, reject }) => this.#alone(renewal).then(resolve, reject)));
  }
}

/** Nobody serves it, or our NATS user may not ask it yet. */
const isOlder = (error: unknown): boolean =>
  (error instanceof TransientError && error.code === 'messaging.no-responders') ||
  (error instanceof TerminalError && error.code === 'messaging.forbidden');

const unanswered = (): TransientError =>
  new TransientError('saga.renewal-unanswered', 'a coordinator could not say whether the claim holds on: it is asked again');
