import { createPrivateKey, hkdfSync } from 'node:crypto';
import { InvariantError } from '@windlass/foundation';
import { KeyPair } from './key-pair.js';
import { open, type SealedBox } from './sealed-box.js';

/** PKCS #8 of an X25519 key, without its 32 bytes (RFC 8410 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The X25519 keys that all replicas of a core service share. The keys derive from the master keys: each replica opens what another replica was sent. */
export class CoreKeys {
  readonly #pairs: readonly KeyPair[];

  /**
   * @param masterKeys the newest first; others seal to the newest.
   * @param who the core service: each core service has keys of its own.
   */
  constructor(masterKeys: readonly Buffer[], who = 'coordinator') {
    if (masterKeys.length === 0) throw new InvariantError('core services need a master key');
    this.#pairs = masterKeys.map((key) => {
      const seed = Buffer.from(hkdfSync('sha256', key, '', `windlass ${who} x25519 1`, 32));
      const der = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
      return KeyPair.fromPem(der.export({ format: 'pem', type: 'pkcs8' }).toString());
    });
  }

  /** The public key that others seal to: 32 bytes, base64url. */
  get publicX(): string {
    return this.newest.public.x;
  }

  /** The newest pair, whose public key others are told. */
  get newest(): KeyPair {
    const [newest] = this.#pairs;
    if (newest === undefined) throw new InvariantError('core services need a master key');
    return newest;
  }

  /** The pair of a public key that others were told before; undefined where its master key is no longer listed. */
  pairOf(publicX: string): KeyPair | undefined {
    return this.#pairs.find((each) => each.public.x === publicX);
  }

  /** Opens a box that is sealed to one of the keys. @throws TerminalError as {@link open} does. */
  open(box: SealedBox, additionalData: string): Buffer {
    const pair = this.#pairs.find((each) => each.public.id === box.kid) ?? this.#pairs[0];
    if (pair === undefined) throw new InvariantError('core services need a master key');
    return open(pair, box, additionalData);
  }
}
