import { defineContract } from '../contracts/contract.js';
import { sealedBoxSchema, type SealedBox } from '../sealing/sealed-box.js';
import { subjects } from '../contracts/subjects.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string', minLength: 1, maxLength: 1024 } as const;

/** Why a key is not taken for claims. */
export const KEY_REFUSALS = ['unknown-key', 'key-of-another-service', 'key-revoked'] as const;
export type KeyRefusal = (typeof KEY_REFUSALS)[number];

/** Why a token does not enrol a key. Only who has the token's secret learns more than `token-unknown`. */
export const TOKEN_REFUSALS = [
  'token-unknown',
  'token-of-another-service',
  'token-revoked',
  'token-expired',
  'token-used-up',
] as const;
export type TokenRefusal = (typeof TOKEN_REFUSALS)[number];

export type EnrolRefusal = KeyRefusal | TokenRefusal;

/** A worker asks whether its key is enrolled, or enrols it. */
export interface EnrolMessage {
  service: string;
  /** Names the replica, for people. */
  worker: string;
  /** X25519, base64url. */
  publicKey: string;
  /** The token's text, sealed to the coordinators' key that the token names. Without it, this is only a question. */
  sealedToken?: SealedBox;
}

export interface EnrolAnswer {
  enrolled: boolean;
  reason?: EnrolRefusal;
}

export const enrolContract = defineContract<EnrolMessage, EnrolAnswer>({
  name: 'saga.enrol',
  subject: subjects.saga('enrol'),
  request: {
    $schema: draft,
    title: 'A worker enrols its key, or asks whether it is enrolled',
    type: 'object',
    additionalProperties: false,
    required: ['service', 'worker', 'publicKey'],
    properties: {
      service: text,
      worker: text,
      publicKey: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
      sealedToken: sealedBoxSchema,
    },
  },
  reply: {
    $schema: draft,
    title: 'Whether the key is enrolled for the service, or why not',
    type: 'object',
    additionalProperties: false,
    required: ['enrolled'],
    properties: { enrolled: { type: 'boolean' }, reason: { enum: [...KEY_REFUSALS, ...TOKEN_REFUSALS] } },
  },
});

/** Binds a sealed token to the service and the key that it was sent for: taken elsewhere it does not open. */
export const enrolAad = (service: string, publicKey: string): string => `windlass enrol ${service} ${publicKey}`;
