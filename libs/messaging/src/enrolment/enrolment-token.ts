import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret, TerminalError } from '@windlass/foundation';
import { publicKey, type PublicKey } from '../sealing/key-pair.js';

/** The beginning of every token, by which people and scanners of repositories recognise a token. */
const PREFIX = 'windlass-enrolment-1';

/** The token that an operator hands to a service so that coordinators take the service's key. Its text lies in a file, never on a command line. */
export interface EnrolmentToken {
  /** Names it in lists and logs; no secret. */
  readonly id: string;
  readonly secret: Secret;
  /** The coordinators' key that the token is sealed to on its way, so that nobody else on NATS can ask for it. */
  readonly coordinatorKey: PublicKey;
}

/** What the coordinators keep of a token. */
export interface TokenHash {
  id: string;
  /** SHA-256 of the secret. It is 256 random bits, so nothing slower is needed. */
  hash: Buffer;
}

/** A token made beforehand by a holder of the master key: the token's line goes to the coordinators, the token's text to the service. */
export interface StandingToken extends TokenHash {
  service: string;
}

/** A new token for the coordinators with this public key. */
export const makeToken = (coordinatorX: string): EnrolmentToken => ({
  id: randomBytes(9).toString('base64url'),
  secret: new Secret(randomBytes(32).toString('base64url')),
  coordinatorKey: publicKey(coordinatorX),
});

/** The token as it is given to a service. */
export const tokenText = ({ id, secret, coordinatorKey }: EnrolmentToken): Secret =>
  new Secret([PREFIX, id, secret.reveal(), coordinatorKey.x].join('.'));

/** @throws TerminalError `enrolment.bad-token` when the text is none; it is not shown */
export function parseToken(text: string): EnrolmentToken {
  const [prefix, id, secret, x, more] = text.trim().split('.');
  if (prefix !== PREFIX || !isId(id) || !/^[A-Za-z0-9_-]{43}$/.test(secret ?? '') || more !== undefined) {
    throw new TerminalError(
      'enrolment.bad-token',
      `the enrolment token is none: one begins with "${PREFIX}." and has four parts`,
    );
  }
  return { id, secret: new Secret(secret ?? ''), coordinatorKey: publicKey(x ?? '') };
}

const isId = (id: string | undefined): id is string => /^[A-Za-z0-9_-]{12}$/.test(id ?? '');

export const hashOf = ({ id, secret }: Pick<EnrolmentToken, 'id' | 'secret'>): TokenHash => ({ id, hash: digest(secret) });

const digest = (secret: Secret): Buffer => createHash('sha256').update(secret.reveal()).digest();

/** Whether the secret is the one that was hashed, in constant time. */
export const isSecretOf = (secret: Secret, hash: Buffer): boolean => timingSafeEqual(digest(secret), hash);

/** A standing token as a line of the coordinators' `ENROLMENT_TOKENS`. */
export const standingLine = ({ service, id, hash }: StandingToken): string => `${service} ${id} ${hash.toString('hex')}`;

/**
 * The lines of `ENROLMENT_TOKENS`: service, token id and SHA-256 of its secret in hexadecimal; `#` begins a comment.
 * @throws TerminalError `enrolment.bad-line` naming the line
 */
export function parseStandingTokens(text: string): StandingToken[] {
  return text
    .split('\n')
    .map((line, index) => ({ words: line.replace(/#.*/, '').trim().split(/\s+/), number: index + 1 }))
    .filter(({ words }) => words.join('') !== '')
    .map(({ words: [service = '', id, hash = ''], number }) => {
      if (!isServiceName(service) || !isId(id) || !/^[0-9a-f]{64}$/.test(hash))
        throw new TerminalError(
          'enrolment.bad-line',
          `line ${number} of the enrolment tokens is none: expected a service, a token's id and its SHA-256 in hexadecimal`,
        );
      return { service, id, hash: Buffer.from(hash, 'hex') };
    });
}

/** What a service may be called: one token of a NATS subject. */
export const isServiceName = (name: string): boolean => /^[a-z0-9][a-z0-9_-]{0,62}$/i.test(name);
