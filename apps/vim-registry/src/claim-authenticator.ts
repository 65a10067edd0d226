import { RequestError, TransientError } from '@windlass/foundation';
import {
  ClaimSecrets,
  proofOf,
  type ClaimedReply,
  type ClaimedRequest,
  type Contract,
  type MessagingLog,
  type RequestInfo,
} from '@windlass/messaging';
import type { ClaimStanding, NamedClaim } from '@windlass/persistence';
import type { Author } from './vims.js';

/** The proven claim of a request, and its entry for the audit trail. */
export interface Asker {
  claim: NamedClaim;
  author(vnfInstanceId: string, about: Record<string, string>): Author;
}

/** Admits requests that prove their claim, and proves the answers to them. */
export class ClaimAuthenticator {
  readonly #secrets: ClaimSecrets;

  constructor(
    masterKeys: readonly Buffer[],
    private readonly log: MessagingLog,
  ) {
    this.#secrets = new ClaimSecrets(masterKeys);
  }

  /** @throws RequestError 403 `claim.not-proven`, before anything of the request is looked at */
  async authenticate<Request, Reply extends object>(
    { name, subject }: Contract<ClaimedRequest<Request>, ClaimedReply<Reply>>,
    request: ClaimedRequest<Request>,
    info: RequestInfo,
    answer: (asker: Asker) => Promise<Reply> | Reply,
  ): Promise<ClaimedReply<Reply>> {
    const { proof, ...data } = request;
    const { operationId, stepId, epoch, service, keyId } = request;
    const claim = { operationId, stepId, epoch, service, keyId };
    const secret = this.#secrets.secretBehind(claim, { kind: 'message', type: `${name}.request`, data }, proof);
    if (secret === undefined) {
      this.log.warn('a request for a claim was refused', { ...claim, subject, reason: 'not-the-holder' });
      throw refused(403, 'claim.not-proven', 'the request is not proven by the claim that it names');
    }
    const asker: Asker = { claim, author: (vnfInstanceId, about) => authorOf(claim, subject, info, vnfInstanceId, about) };
    const reply = await answer(asker);
    return { ...reply, proof: proofOf(secret, { kind: 'message', type: `${name}.reply`, data: { ...reply, to: proof } }) };
  }

  /**
   * Checks that the claim is held now, and that its key is enrolled.
   * @throws RequestError 409 `claim.not-held`, 403 `claim.key-not-enrolled`; TransientError `claim.lease-over`: the lease may still be renewed
   */
  requireHeld<S extends ClaimStanding>(found: S | undefined, claim: NamedClaim): S {
    if (found?.held !== true) throw this.#turnedAway(claim, 409, 'claim.not-held', 'the step is in other hands now, or over');
    if (!found.enrolled)
      throw this.#turnedAway(claim, 403, 'claim.key-not-enrolled', `key ${claim.keyId} is not enrolled, or was revoked`);
    if (!found.leased)
      throw new TransientError('claim.lease-over', `the lease on step ${claim.stepId} has ended: renew it first`);
    return found;
  }

  #turnedAway(claim: NamedClaim, status: 403 | 409, code: string, why: string): RequestError {
    this.log.warn('a request for a claim was refused', { ...claim, reason: code });
    return refused(status, code, `step ${claim.stepId} of operation ${claim.operationId}: ${why}`);
  }
}

const refused = (status: 403 | 409, code: string, detail: string): RequestError => new RequestError(status, code, detail);

/** The audit entry of a step's change: its actor is the service and its key, as proven. */
const authorOf = (
  { operationId, stepId, service, keyId }: NamedClaim,
  subject: string,
  { id }: RequestInfo,
  vnfInstanceId: string,
  about: Record<string, string>,
): Author => ({
  requestId: id,
  actor: `${service} ${keyId}`,
  roles: ['worker'],
  remoteAddress: null,
  method: 'NATS',
  resource: subject,
  status: 200,
  operation: null,
  vnfInstanceId,
  operationId,
  detail: { step: stepId, ...about },
});
