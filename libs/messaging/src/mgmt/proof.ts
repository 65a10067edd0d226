import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { agreed } from '../sealing/sealed-box.js';
import { keyObjectOf, publicKey, type KeyPair } from '../sealing/key-pair.js';

/**
 * Proofs of management drivers: a driver's enrolled X25519 key and a key of the core services agree on a secret that only these two know, and
 * HMAC-SHA-256 by it says who wrote an answer or an announcement. Nothing is signed: whoever asks could have written the answer itself, and no
 * third party is meant to judge.
 */
const INFO = 'windlass driver contract 2';
/** So many secrets of pairs of keys are kept: more than any deployment has. */
const MAX_SECRETS = 1_000;

/** What an answer is bound to: the asker sees at once whether an answer is for its own request. */
export interface AnswerWords {
  /** `windlass.mgmt.<driver>.<verb>`. */
  subject: string;
  /** The nonce of the request. */
  nonce: string;
  /** The whole message of the request, as it was sent over NATS. */
  request: Uint8Array;
  /** The answer's exact text. */
  body: string;
}

/** What an announcement is bound to. */
export interface AnnouncementWords {
  /** One more than the number of the announcement which is kept: an old announcement, sent again, is refused. */
  number: number;
  /** The announcement's exact text. */
  body: string;
}

/** The secrets that one side's key shares with other keys, each derived once. */
export class ProofKeys {
  readonly #derived = new Map<string, Buffer>();

  constructor(private readonly side: 'core' | 'driver') {}

  /**
   * 32 bytes: HKDF-SHA-256 over the X25519 secret, salt = the core's public key, then the driver's, info `windlass driver contract 2`.
   * @throws TerminalError `sealing.bad-key` when the other key is no X25519 key
   */
  of(own: KeyPair, otherX: string): Buffer {
    const name = `${own.public.id} ${otherX}`;
    const known = this.#derived.get(name);
    if (known !== undefined) return known;
    const secret = agreed(own.privateKey, keyObjectOf(publicKey(otherX)));
    const [coreX, driverX] = this.side === 'core' ? [own.public.x, otherX] : [otherX, own.public.x];
    const salt = Buffer.concat([Buffer.from(coreX, 'base64url'), Buffer.from(driverX, 'base64url')]);
    const key = Buffer.from(hkdfSync('sha256', secret, salt, INFO, 32));
    this.#derived.set(name, key);
    for (const oldest of this.#derived.keys()) if (this.#derived.size > MAX_SECRETS) this.#derived.delete(oldest);
    return key;
  }
}

/** In base64url. Only the last line can hold a line's end: two different lists of lines never give the same text. */
export const proofOfAnswer = (key: Buffer, { subject, nonce, request, body }: AnswerWords): string =>
  mac(key, ['windlass driver answer 2', subject, nonce, createHash('sha256').update(request).digest('base64url'), body]);

export const proofOfAnnouncement = (key: Buffer, { number, body }: AnnouncementWords): string =>
  mac(key, ['windlass driver announcement 2', String(number), body]);

const mac = (key: Buffer, lines: readonly string[]): string =>
  createHmac('sha256', key).update(lines.join('\n')).digest('base64url');

/** Compares in constant time. */
export function isSameProof(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
