import { InvariantError, seconds, TransientError } from '@windlass/foundation';
import type {
  Claim,
  ClaimReply,
  ClaimRequest,
  CoordinatorClient,
  RenewReply,
  RenewRequest,
  ResultReply,
  ResultRequest,
  WorkerOutcome,
} from '@windlass/saga';
import { isProof, proofOf, type ClaimIdentity, type Proven, type ProvenMessage } from '../enrolment/claim-proof.js';
import type { Enrolment } from '../enrolment/enrolment.js';
import { KEY_REFUSALS, type KeyRefusal } from '../enrolment/enrolment-contract.js';
import type { RequestClient } from '../request/request-client.js';
import { publicKey } from '../sealing/key-pair.js';
import { open, seal, type SealedBox } from '../sealing/sealed-box.js';
import { GatheredRenewals } from './gathered-renewals.js';
import {
  claimContract,
  resultContract,
  stepAad,
  type ClaimAnswer,
  type ClaimHolder,
  type GrantedClaim,
  type OutcomeBox,
  type ResultAnswer,
} from './saga-contracts.js';

/** How long a claim is tried, before its wake-up is given back. */
const CLAIM_WITHIN = seconds(10);
/** A worker whose key is not enrolled gives its wake-up back for so long: another replica takes the wake-up, or the key is enrolled by then. */
const NOT_ENROLLED_AGAIN = seconds(2);
/** The secrets of so many claims are kept: far more than one worker runs. Nothing more is sent for a claim whose lease was lost. */
const MAX_CLAIMS = 10_000;

type GrantedBox = NonNullable<ResultAnswer['next']>;

interface StepKey {
  operationId: string;
  stepId: string;
  epoch: number;
}

/** The coordinators as a worker reaches them over NATS. Their answers are sealed to the worker's key, its results to the coordinators' key. */
export class NatsCoordinatorClient implements CoordinatorClient {
  /** The coordinators' key from the last claim; every result follows a claim. */
  #coordinatorKey: string | undefined;
  readonly #claims = new Map<string, { service: string; secret: string }>();

  readonly #renewals: GatheredRenewals;

  constructor(
    private readonly client: RequestClient,
    private readonly enrolment: Pick<Enrolment, 'keys' | 'state' | 'refused'>,
  ) {
    this.#renewals = new GatheredRenewals(client, () => this.#claims.size);
  }

  /** @throws TransientError `enrolment.not-enrolled`: the wake-up is given back for a replica whose key is enrolled */
  async claim(request: ClaimRequest, signal?: AbortSignal): Promise<ClaimReply> {
    const { keys, state } = this.enrolment;
    if (!state.enrolled) throw notEnrolled(state.detail);
    const message = { ...request, actions: [...request.actions], keyId: keys.public.id };
    const answer = await this.client.request(claimContract, message, {
      within: CLAIM_WITHIN,
      ...(signal === undefined ? {} : { signal }),
    });
    if (!answer.granted) return this.#refusal(answer);
    if (answer.sealedClaim === undefined || answer.coordinatorKey === undefined)
      throw new InvariantError('a claim was granted without the step');
    const { sealedClaim, coordinatorKey } = answer;
    return { granted: true, claim: this.#taken({ sealedClaim, coordinatorKey }, stepAad('claim', request), request.service) };
  }

  renew(request: RenewRequest, signal?: AbortSignal): Promise<RenewReply> {
    const { progress, waits } = request;
    const { waits: _waits, ...said } = request;
    const message = {
      ...said,
      ...(waits === true ? { waits } : {}),
      ...this.#holder(request, { kind: 'renew', progress, waits }),
    };
    return this.#renewals.ask(message, signal);
  }

  /** Repeats the result until a coordinator has answered, or the signal aborts: nobody waits for the result any more. */
  async result({ outcome, next, ...step }: ResultRequest, signal?: AbortSignal): Promise<ResultReply> {
    if (this.#coordinatorKey === undefined) throw new InvariantError('there is a result without a claim');
    // Within the box, where coordinators of the release before ignore it.
    const words: WorkerOutcome & OutcomeBox = { ...outcome, ...(next === undefined ? {} : { next }) };
    const { service } = this.#known(step);
    const sealedOutcome = seal(publicKey(this.#coordinatorKey), Buffer.from(JSON.stringify(words)), stepAad('outcome', step));
    const message = { ...step, sealedOutcome, ...this.#holder(step, { kind: 'result', sealedOutcome }) };
    const answer = await this.client.requestUntilAnswered(resultContract, message, signal === undefined ? {} : { signal });
    this.#claims.delete(nameOf(step));
    const { verdict } = answer;
    if (answer.next === undefined) return { verdict };
    return { verdict, next: this.#taken(answer.next, stepAad('next', step), service) };
  }

  /** Opens a claim that was granted, and keeps its secret. */
  #taken({ sealedClaim, coordinatorKey }: GrantedBox, aad: string, service: string): Claim {
    const { claim, secret } = JSON.parse(open(this.enrolment.keys, sealedClaim, aad).toString('utf8')) as GrantedClaim;
    this.#coordinatorKey = coordinatorKey;
    this.#keep(claim, { service, secret });
    return claim;
  }

  /** A message on behalf of a claim, proven as a whole. @throws InvariantError for a claim that was not granted here */
  proven<Body extends object>(
    { operationId, stepId, epoch }: StepKey,
    type: string,
    body: Body,
  ): Body & ClaimIdentity & { proof: string } {
    const { service, secret } = this.#known({ operationId, stepId, epoch });
    const data = { ...body, operationId, stepId, epoch, service, keyId: this.enrolment.keys.public.id };
    return { ...data, proof: proofOf(secret, { kind: 'message', type, data }) };
  }

  /** Whether the sender of the message knows the claim's secret: a core service. */
  confirms(step: StepKey, message: ProvenMessage, proof: string): boolean {
    return isProof(this.#known(step).secret, { kind: 'message', ...message }, proof);
  }

  /** Opens what is sealed to this worker's key. @throws TerminalError `sealing.*` */
  opened(box: SealedBox, additionalData: string): Buffer {
    return open(this.enrolment.keys, box, additionalData);
  }

  #refusal({ reason }: ClaimAnswer): ClaimReply {
    if (!isKeyRefusal(reason)) return { granted: false, reason: reason ?? 'unknown' };
    this.enrolment.refused(reason);
    throw notEnrolled(reason);
  }

  #keep(claim: StepKey, known: { service: string; secret: string }): void {
    this.#claims.set(nameOf(claim), known);
    for (const oldest of this.#claims.keys()) if (this.#claims.size > MAX_CLAIMS) this.#claims.delete(oldest);
  }

  #holder(step: StepKey, proven: Proven): ClaimHolder {
    const { service, secret } = this.#known(step);
    return { service, keyId: this.enrolment.keys.public.id, proof: proofOf(secret, proven) };
  }

  #known(step: StepKey): { service: string; secret: string } {
    const known = this.#claims.get(nameOf(step));
    if (known === undefined) throw new InvariantError(`there is no claim of step ${step.stepId} with epoch ${step.epoch}`);
    return known;
  }
}

const nameOf = ({ operationId, stepId, epoch }: StepKey): string => `${operationId} ${epoch} ${stepId}`;

const isKeyRefusal = (reason: ClaimAnswer['reason']): reason is KeyRefusal => KEY_REFUSALS.some((refusal) => refusal === reason);

const notEnrolled = (why: string): TransientError =>
  new TransientError('enrolment.not-enrolled', `our key is not enrolled, so the doorbell is given back: ${why}`, {
    retryAfter: NOT_ENROLLED_AGAIN,
  });
