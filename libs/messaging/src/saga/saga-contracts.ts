import { shape, type OfMembers, type TypeOf } from '@windlass/foundation';
import type { Claim, NextWanted } from '@windlass/saga';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { KEY_REFUSALS } from '../enrolment/enrolment-contract.js';
import { sealedBoxSchema } from '../sealing/sealed-box.js';

const LONGEST = { minLength: 1, maxLength: 1024 } as const;
const text = shape.text(LONGEST);
const count = shape.integer({ minimum: 0 });
const publicKey = shape.text({ pattern: '^[A-Za-z0-9_-]{43}$' });
const stepKey = { operationId: shape.text({ ...LONGEST, format: 'uuid' }), stepId: text, epoch: count };
const verdict = shape.oneOf(['journaled', 'stale']);

const claimMessage = shape.closed({
  ...stepKey,
  service: text,
  worker: text,
  actions: shape.list({ items: text, maxItems: 1000 }),
  /** The thumbprint of the enrolled key that the step is to be sealed to. */
  keyId: publicKey,
});

/** What a worker asks with: the id of its enrolled key. Only this worker can open the answer. */
export type ClaimMessage = TypeOf<typeof claimMessage>;

const claimAnswer = shape.closed({
  granted: shape.flag,
  reason: shape.optional(
    shape.oneOf(['unknown', 'not-ready', 'taken', 'stale', 'pausing', 'limited', 'version', ...KEY_REFUSALS]),
  ),
  /** A {@link GrantedClaim} as JSON, sealed to the worker's key; the key of the step is the associated data. */
  sealedClaim: shape.optional(sealedBoxSchema),
  /** The coordinators' public key, which results are sealed to. */
  coordinatorKey: shape.optional(publicKey),
});

export type ClaimAnswer = TypeOf<typeof claimAnswer>;

/** What a sealed claim holds. */
export interface GrantedClaim {
  claim: Claim;
  /** What renewals and the result are proven with ({@link proofOf}), base64url. */
  secret: string;
}

export const claimContract = defineContract({
  name: 'saga.claim',
  subject: subjects.saga('claim'),
  request: message(shape.titled('A worker asks for a step', claimMessage)),
  reply: message(shape.titled('The step, or why not', claimAnswer)),
});

/** The holder of the claim, and the proof that the holder sent the message. */
const holder = {
  service: text,
  /** The key that the claim was sealed to. */
  keyId: publicKey,
  /** {@link proofOf} this message, by the claim's secret. */
  proof: publicKey,
};

/** What binds a message of a worker to its claim. */
export type ClaimHolder = OfMembers<typeof holder>;

const renewal = {
  ...stepKey,
  ...holder,
  progress: shape.optional(shape.text({ maxLength: 1024 })),
  waits: shape.optional(shape.constant(true)),
};
const cancel = shape.optional(shape.oneOf(['GRACEFUL', 'FORCEFUL']));

export const renewContract = defineContract({
  name: 'saga.renew',
  subject: subjects.saga('renew'),
  request: message(
    shape.titled('A worker prolongs its lease, with a line of progress, and says so where it only waits', shape.closed(renewal)),
  ),
  reply: message(shape.titled('Whether it holds on', shape.closed({ verdict, leaseFor: count, cancel }))),
});

/** Renewals in one message at most. With the longest names and lines it stays below NATS's 1 MiB. */
export const MOST_RENEWALS = 64;

const renewals = shape.closed({ renewals: shape.list({ items: shape.closed(renewal), minItems: 1, maxItems: MOST_RENEWALS }) });

/** Renewals of one worker, each proven by its own claim. */
export type RenewalsMessage = TypeOf<typeof renewals>;

const renewed = shape.closed({
  renewals: shape.list({
    // `unanswered`: of this one nothing was decided, and its worker asks again.
    items: shape.closed({ verdict: shape.oneOf(['journaled', 'stale', 'unanswered']), leaseFor: count, cancel }),
    minItems: 1,
    maxItems: MOST_RENEWALS,
  }),
});

/** What came of each, in their order. */
export type RenewalsAnswer = TypeOf<typeof renewed>;

/** As {@link renewContract}, of several claims at once. A coordinator of the release before does not serve it: its worker then asks for each alone. */
export const renewAllContract = defineContract({
  name: 'saga.renew-all',
  subject: subjects.saga('renew-all'),
  request: message(shape.titled('A worker prolongs several leases', renewals)),
  reply: message(shape.titled('Of each whether it holds on, in the order of the request', renewed)),
});

const resultMessage = shape.closed({
  ...stepKey,
  ...holder,
  /** A `WorkerOutcome` as JSON, sealed to the coordinators' key. */
  sealedOutcome: sealedBoxSchema,
});

export type ResultMessage = TypeOf<typeof resultMessage>;

/** What the sealed outcome holds besides a `WorkerOutcome`; a coordinator of the release before ignores it. */
export interface OutcomeBox {
  next?: NextWanted;
}

const resultAnswer = shape.closed({
  verdict,
  /** The next step, for a worker that asked for it: a {@link GrantedClaim} as JSON, sealed as in a claim's answer. The key of the result is the associated data. */
  next: shape.optional(shape.closed({ sealedClaim: sealedBoxSchema, coordinatorKey: publicKey })),
});

export type ResultAnswer = TypeOf<typeof resultAnswer>;

export const resultContract = defineContract({
  name: 'saga.result',
  subject: subjects.saga('result'),
  request: message(shape.titled('What came of a claim', resultMessage)),
  reply: message(shape.titled('Whether it stands in the journal, and the step that the worker goes on with', resultAnswer)),
});

/** What binds a sealed message to its step and claim. */
export const stepAad = (
  kind: 'claim' | 'outcome' | 'next',
  step: { operationId: string; stepId: string; epoch: number },
): string => `windlass ${kind} ${step.operationId} ${step.stepId} ${step.epoch}`;
