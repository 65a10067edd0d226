import type { Claim, ClaimRefusal, NextWanted, RenewReply, RenewRequest, Verdict } from '@windlass/saga';
import { defineContract } from '../contracts/contract.js';
import { KEY_REFUSALS, type KeyRefusal } from '../enrolment/enrolment-contract.js';
import type { SealedBox } from '../sealing/sealed-box.js';
import { sealedBoxSchema } from '../sealing/sealed-box.js';
import { subjects } from '../contracts/subjects.js';

const text = { type: 'string', minLength: 1, maxLength: 1024 } as const;
const count = { type: 'integer', minimum: 0 } as const;
const publicKey = { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' } as const;
const keyId = publicKey;
/** Who holds the claim, and the proof that it is who speaks. */
const holder = { service: text, keyId, proof: publicKey } as const;
const stepKey = { operationId: { ...text, format: 'uuid' }, stepId: text, epoch: count } as const;
const draft = 'https://json-schema.org/draft/2020-12/schema';

/** What a worker asks with: its enrolled key's id, so that the answer is for it alone. */
export interface ClaimMessage {
  operationId: string;
  stepId: string;
  epoch: number;
  service: string;
  worker: string;
  actions: string[];
  /** The thumbprint of the enrolled key that the step is to be sealed to. */
  keyId: string;
}

export interface ClaimAnswer {
  granted: boolean;
  reason?: ClaimRefusal | 'version' | KeyRefusal;
  /** A {@link GrantedClaim} as JSON, sealed to the worker's key; the step's key is its associated data. */
  sealedClaim?: SealedBox;
  /** The coordinators' public key, which results are sealed to. */
  coordinatorKey?: string;
}

/** What a sealed claim holds. */
export interface GrantedClaim {
  claim: Claim;
  /** What renewals and the result are proven with ({@link proofOf}), base64url. */
  secret: string;
}

export const claimContract = defineContract<ClaimMessage, ClaimAnswer>({
  name: 'saga.claim',
  subject: subjects.saga('claim'),
  request: {
    $schema: draft,
    title: 'A worker asks for a step',
    type: 'object',
    additionalProperties: false,
    required: ['operationId', 'stepId', 'epoch', 'service', 'worker', 'actions', 'keyId'],
    properties: {
      ...stepKey,
      service: text,
      worker: text,
      actions: { type: 'array', items: text, maxItems: 1000 },
      keyId,
    },
  },
  reply: {
    $schema: draft,
    title: 'The step, or why not',
    type: 'object',
    additionalProperties: false,
    required: ['granted'],
    properties: {
      granted: { type: 'boolean' },
      reason: { enum: ['unknown', 'not-ready', 'taken', 'stale', 'pausing', 'limited', 'version', ...KEY_REFUSALS] },
      sealedClaim: sealedBoxSchema,
      coordinatorKey: publicKey,
    },
  },
});

/** What binds a word of a worker to its claim. */
export interface ClaimHolder {
  service: string;
  /** The key that the claim was sealed to. */
  keyId: string;
  /** {@link proofOf} these words, by the claim's secret. */
  proof: string;
}

export const renewContract = defineContract<RenewRequest & ClaimHolder, RenewReply>({
  name: 'saga.renew',
  subject: subjects.saga('renew'),
  request: {
    $schema: draft,
    title: 'A worker prolongs its lease, with a line of progress',
    type: 'object',
    additionalProperties: false,
    required: ['operationId', 'stepId', 'epoch', 'service', 'keyId', 'proof'],
    properties: { ...stepKey, ...holder, progress: { type: 'string', maxLength: 1024 } },
  },
  reply: {
    $schema: draft,
    title: 'Whether it holds on',
    type: 'object',
    additionalProperties: false,
    required: ['verdict', 'leaseFor'],
    properties: { verdict: { enum: ['journaled', 'stale'] }, leaseFor: count, cancel: { enum: ['GRACEFUL', 'FORCEFUL'] } },
  },
});

export interface ResultMessage extends ClaimHolder {
  operationId: string;
  stepId: string;
  epoch: number;
  /** A `WorkerOutcome` as JSON, sealed to the coordinators' key. */
  sealedOutcome: SealedBox;
}

/** What the sealed outcome holds besides a `WorkerOutcome`: a coordinator of the release before passes it by. */
export interface OutcomeBox {
  next?: NextWanted;
}

export interface ResultAnswer {
  verdict: Verdict;
  /** Only to a worker that asked for it. A {@link GrantedClaim} as JSON, sealed as that of a claim is; the result's key is its associated data. */
  next?: { sealedClaim: SealedBox; coordinatorKey: string };
}

export const resultContract = defineContract<ResultMessage, ResultAnswer>({
  name: 'saga.result',
  subject: subjects.saga('result'),
  request: {
    $schema: draft,
    title: 'What came of a claim',
    type: 'object',
    additionalProperties: false,
    required: ['operationId', 'stepId', 'epoch', 'service', 'keyId', 'proof', 'sealedOutcome'],
    properties: { ...stepKey, ...holder, sealedOutcome: sealedBoxSchema },
  },
  reply: {
    $schema: draft,
    title: 'Whether it stands in the journal, and the step that the worker goes on with',
    type: 'object',
    additionalProperties: false,
    required: ['verdict'],
    properties: {
      verdict: { enum: ['journaled', 'stale'] },
      next: {
        type: 'object',
        additionalProperties: false,
        required: ['sealedClaim', 'coordinatorKey'],
        properties: { sealedClaim: sealedBoxSchema, coordinatorKey: publicKey },
      },
    },
  },
});

/** What binds a sealed message to its step and claim. */
export const stepAad = (
  kind: 'claim' | 'outcome' | 'next',
  step: { operationId: string; stepId: string; epoch: number },
): string => `windlass ${kind} ${step.operationId} ${step.stepId} ${step.epoch}`;
