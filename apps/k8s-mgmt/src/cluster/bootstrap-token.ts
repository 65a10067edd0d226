import { randomInt } from 'node:crypto';
import { Secret } from '@windlass/foundation';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

const word = (length: number): string => Array.from({ length }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');

/** A bootstrap token, `[a-z0-9]{6}.[a-z0-9]{16}`: its first part is public, the second a secret. */
export const newToken = (): Secret => new Secret(`${word(6)}.${word(16)}`);

/** The public part, which names the token. */
export const tokenId = (token: Secret): string => token.reveal().split('.')[0] ?? '';
