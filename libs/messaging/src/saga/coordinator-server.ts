import type { Claim, CoordinatorClient, NextWanted, RenewReply, RenewRequest, WorkerOutcome } from '@windlass/saga';
import { ClaimSecrets, type Proven } from '../enrolment/claim-proof.js';
import type { EnrolmentStore } from '../enrolment/enrolment-store.js';
import { KnownKeys } from '../enrolment/known-keys.js';
import type { MessagingLog } from '../link/nats-link.js';
import { publicKey } from '../sealing/key-pair.js';
import { seal, type SealedBox } from '../sealing/sealed-box.js';
import { CoreKeys } from '../sealing/core-keys.js';
import {
  stepAad,
  type ClaimAnswer,
  type ClaimHolder,
  type ClaimMessage,
  type GrantedClaim,
  type OutcomeBox,
  type RenewalsAnswer,
  type RenewalsMessage,
  type ResultAnswer,
  type ResultMessage,
} from './saga-contracts.js';

/**
 * The coordinator's side of the message bus: opens what workers send, seals what workers get. A step is sealed to a key that is enrolled for the
 * step's service and to no other key; only the worker that opened the step renews and reports.
 */
export class CoordinatorServer {
  readonly #coreKeys: CoreKeys;
  readonly #secrets: ClaimSecrets;
  readonly #known: KnownKeys;

  constructor(
    private readonly coordinator: CoordinatorClient,
    masterKeys: readonly Buffer[],
    enrolments: Pick<EnrolmentStore, 'key'>,
    private readonly log: MessagingLog,
  ) {
    this.#coreKeys = new CoreKeys(masterKeys);
    this.#secrets = new ClaimSecrets(masterKeys);
    this.#known = new KnownKeys(enrolments);
  }

  async claim({ keyId, ...request }: ClaimMessage): Promise<ClaimAnswer> {
    const key = await this.#known.of(request.service, keyId);
    if (typeof key === 'string') {
      this.#refused('a claim was refused for its key', { ...request, keyId }, key);
      return { granted: false, reason: key };
    }
    // The engine grants a step only to the service of the step, which is the service of the key as well.
    const reply = await this.coordinator.claim(request);
    if (!reply.granted) return { granted: false, reason: reply.reason };
    const aad = stepAad('claim', { ...request, epoch: reply.claim.epoch - 1 });
    return { granted: true, ...this.#sealed(reply.claim, { ...key, keyId }, aad) };
  }

  /** `stale` where a stranger sent or changed the message (its line of progress, whether the step waits), or the key was revoked: the lease then ends. */
  async renew({ service, keyId, proof, ...request }: RenewRequest & ClaimHolder): Promise<RenewReply> {
    const words = { ...request, service, keyId, proof };
    const { progress, ...unsaid } = request;
    const { waits } = request;
    const isProven = (proven: Proven) => this.#secrets.proves(words, proven, proof);
    // Workers of the release before prove the renewal without its line of progress: the lease goes on. The line is not shown: it may be a stranger's.
    const isUnsaid =
      progress !== undefined && !isProven({ kind: 'renew', progress, waits }) && isProven({ kind: 'renew', waits });
    if (isUnsaid) this.#refused('the progress of a renewal was dropped', words, 'progress-not-proven');
    if (!(await this.#isHolder(words, { kind: 'renew', waits, ...(isUnsaid ? {} : { progress }) })))
      return { verdict: 'stale', leaseFor: 0 };
    return this.coordinator.renew(isUnsaid ? unsaid : request);
  }

  /** Each is answered for itself, as by {@link renew}. @throws what that has thrown for the first, where none could be answered */
  async renewAll({ renewals }: RenewalsMessage): Promise<RenewalsAnswer> {
    const ends = await Promise.allSettled(renewals.map((renewal) => this.renew(renewal)));
    const failed = ends.filter((end) => end.status === 'rejected');
    if (failed[0] !== undefined && failed.length === ends.length) throw failed[0].reason;
    return {
      renewals: ends.map((end) => (end.status === 'fulfilled' ? end.value : { verdict: 'unanswered' as const, leaseFor: 0 })),
    };
  }

  /** `stale` as for {@link renew}: another worker claims the step when the lease has ended. */
  async result({ sealedOutcome, service, keyId, proof, ...step }: ResultMessage): Promise<ResultAnswer> {
    if (!(await this.#isHolder({ ...step, service, keyId, proof }, { kind: 'result', sealedOutcome })))
      return { verdict: 'stale' };
    const opened = this.#coreKeys.open(sealedOutcome, stepAad('outcome', step)).toString('utf8');
    const { next: wanted, ...outcome } = JSON.parse(opened) as WorkerOutcome & OutcomeBox;
    const { verdict, next } = await this.coordinator.result({ ...step, outcome, ...(isWanted(wanted) ? { next: wanted } : {}) });
    if (next === undefined) return { verdict };
    const key = await this.#known.of(service, keyId);
    // The key was revoked meanwhile: nobody works on the step any more, and its lease runs out.
    if (typeof key === 'string') return { verdict };
    return { verdict, next: this.#sealed(next, { ...key, keyId }, stepAad('next', step)) };
  }

  #sealed(
    claim: Claim,
    { publicKey: x, service, keyId }: { publicKey: string; service: string; keyId: string },
    aad: string,
  ): { sealedClaim: SealedBox; coordinatorKey: string } {
    const granted: GrantedClaim = { claim, secret: this.#secrets.of({ ...claim, service, keyId }) };
    const sealedClaim = seal(publicKey(x), Buffer.from(JSON.stringify(granted)), aad);
    return { sealedClaim, coordinatorKey: this.#coreKeys.publicX };
  }

  async #isHolder(words: RefusedWords & ClaimHolder, proven: Proven): Promise<boolean> {
    if (!this.#secrets.proves(words, proven, words.proof)) {
      this.#refused('words of a worker were refused', words, 'not-the-holder');
      return false;
    }
    const key = await this.#known.of(words.service, words.keyId);
    if (typeof key === 'string') this.#refused('words of a worker were refused', words, key);
    return typeof key !== 'string';
  }

  #refused(message: string, { service, worker, keyId, operationId, stepId, epoch }: RefusedWords, reason: string): void {
    this.log.warn(message, { service, keyId, operationId, stepId, epoch, reason, ...(worker === undefined ? {} : { worker }) });
  }
}

interface RefusedWords {
  service: string;
  keyId: string;
  operationId: string;
  stepId: string;
  epoch: number;
  worker?: string;
}

/** The claim that the result asks for, checked as a claim's own message is: a stranger's worker may have put anything there. */
const isWanted = (wanted: unknown): wanted is NextWanted => {
  if (typeof wanted !== 'object' || wanted === null) return false;
  const { worker, actions } = wanted as Partial<Record<keyof NextWanted, unknown>>;
  return isText(worker) && Array.isArray(actions) && actions.length <= 1_000 && actions.every(isText);
};

const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 0 && value.length <= 1_024;
