import { shape, type TypeOf } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { sealedBoxSchema } from '../sealing/sealed-box.js';

const text = shape.text({ minLength: 1, maxLength: 1024 });

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

const enrolMessage = shape.closed({
  service: text,
  /** Names the replica, for people. */
  worker: text,
  /** X25519, base64url. */
  publicKey: shape.text({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  /** The token's text, sealed to the coordinators' key that the token names. Without it, this is only a question. */
  sealedToken: shape.optional(sealedBoxSchema),
});

/** A worker asks whether its key is enrolled, or enrols it. */
export type EnrolMessage = TypeOf<typeof enrolMessage>;

const enrolAnswer = shape.closed({
  enrolled: shape.flag,
  reason: shape.optional(shape.oneOf([...KEY_REFUSALS, ...TOKEN_REFUSALS])),
});

export type EnrolAnswer = TypeOf<typeof enrolAnswer>;

export const enrolContract = defineContract({
  name: 'saga.enrol',
  subject: subjects.saga('enrol'),
  request: message(shape.titled('A worker enrols its key, or asks whether it is enrolled', enrolMessage)),
  reply: message(shape.titled('Whether the key is enrolled for the service, or why not', enrolAnswer)),
});

/** Binds a sealed token to the service and the key that it was sent for: taken elsewhere it does not open. */
export const enrolAad = (service: string, publicKey: string): string => `windlass enrol ${service} ${publicKey}`;
