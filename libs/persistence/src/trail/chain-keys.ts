import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { InvariantError } from '@windlass/foundation';
import { keyId } from '../sealing/vault.js';

/** Of an entry's digest: 128 bits under a key that nobody else has. */
export const DIGEST_BYTES = 16;

/** One key of the chain, from one master key. */
export class ChainKey {
  readonly #key: Buffer;

  constructor(
    /** Names the master key that it comes from, in hexadecimal. */
    readonly id: string,
    masterKey: Buffer,
  ) {
    this.#key = Buffer.from(hkdfSync('sha256', masterKey, '', 'windlass audit trail chain 1', 32));
  }

  /** HMAC-SHA256 over values that no other values look like. */
  mac(...values: unknown[]): Buffer {
    return createHmac('sha256', this.#key).update(JSON.stringify(values)).digest();
  }

  holds(mac: Buffer, ...values: unknown[]): boolean {
    const expected = this.mac(...values);
    return mac.length === expected.length && timingSafeEqual(mac, expected);
  }
}

/** The keys that the audit trail is chained with: derived from the master keys, which the database's owner does not have. */
export class ChainKeys {
  readonly #keys: ReadonlyMap<string, ChainKey>;
  /** What new links are made with. */
  readonly newest: ChainKey;

  /** @param masterKeys the newest first; links of older ones are still checked with theirs. @throws InvariantError for none */
  constructor(masterKeys: readonly Buffer[]) {
    const keys = masterKeys.map((key) => new ChainKey(keyId(key).toString('hex'), key));
    const [newest] = keys;
    if (newest === undefined) throw new InvariantError('the chain of the audit trail needs a master key');
    this.newest = newest;
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  /** Undefined where that master key is not among those given. */
  named(id: string): ChainKey | undefined {
    return this.#keys.get(id);
  }
}
