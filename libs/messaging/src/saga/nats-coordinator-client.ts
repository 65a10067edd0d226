import { InvariantError, seconds } from '@windlass/foundation';
import type {
  Claim,
  ClaimReply,
  ClaimRequest,
  CoordinatorClient,
  RenewReply,
  RenewRequest,
  ResultReply,
  ResultRequest,
} from '@windlass/saga';
import type { RequestClient } from '../request/request-client.js';
import { publicKey, type KeyPair } from '../sealing/key-pair.js';
import { open, seal } from '../sealing/sealed-box.js';
import { claimContract, renewContract, resultContract, stepAad } from './saga-contracts.js';

/** How long a claim is tried before its doorbell is given back. */
const CLAIM_WITHIN = seconds(10);

/** The coordinators as a worker reaches them over NATS. What it is given is sealed to its own key, what it says to theirs. */
export class NatsCoordinatorClient implements CoordinatorClient {
  /** The key told with the last claim; every result follows a claim. */
  #coordinatorKey: string | undefined;

  constructor(
    private readonly client: RequestClient,
    private readonly keys: KeyPair,
  ) {}

  async claim(request: ClaimRequest, signal?: AbortSignal): Promise<ClaimReply> {
    const message = { ...request, actions: [...request.actions], publicKey: this.keys.public.x };
    const answer = await this.client.request(claimContract, message, {
      within: CLAIM_WITHIN,
      ...(signal === undefined ? {} : { signal }),
    });
    if (!answer.granted) return { granted: false, reason: answer.reason ?? 'unknown' };
    if (answer.sealedClaim === undefined || answer.coordinatorKey === undefined)
      throw new InvariantError('a claim was granted without the step');
    this.#coordinatorKey = answer.coordinatorKey;
    const claim = JSON.parse(open(this.keys, answer.sealedClaim, stepAad('claim', request)).toString('utf8')) as Claim;
    return { granted: true, claim };
  }

  renew(request: RenewRequest, signal?: AbortSignal): Promise<RenewReply> {
    return this.client.request(renewContract, request, { within: seconds(3), ...(signal === undefined ? {} : { signal }) });
  }

  /** Repeated until a coordinator has answered, or the signal says that nobody waits for it any more. */
  async result({ outcome, ...step }: ResultRequest, signal?: AbortSignal): Promise<ResultReply> {
    if (this.#coordinatorKey === undefined) throw new InvariantError('there is a result without a claim');
    const sealedOutcome = seal(publicKey(this.#coordinatorKey), Buffer.from(JSON.stringify(outcome)), stepAad('outcome', step));
    return this.client.requestUntilAnswered(resultContract, { ...step, sealedOutcome }, signal === undefined ? {} : { signal });
  }
}
