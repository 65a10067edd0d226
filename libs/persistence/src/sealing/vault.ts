import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { InvariantError } from '@windlass/foundation';

const FORMAT = 1;
const KEY_ID_BYTES = 8;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;

/**
 * Encrypts what must not lie in a column in the clear: AES-256-GCM under the master key, bound to the place it lies in.
 * Layout: format (1 byte), key id (8), IV (12), tag (16), ciphertext. Older keys open what they sealed; the first seals.
 */
export class Vault {
  readonly #keys: Map<string, Buffer>;
  readonly #primary: { id: Buffer; key: Buffer };

  /** @param keys 32 bytes each, the one that seals first. @throws InvariantError for none, or one of another length. */
  constructor(keys: readonly Buffer[]) {
    const [first] = keys;
    if (first === undefined) throw new InvariantError('a vault needs at least one key');
    this.#keys = new Map(keys.map((key) => [keyId(key).toString('hex'), key]));
    this.#primary = { id: keyId(first), key: first };
  }

  /** @param place names the row and column; what is moved elsewhere does not open there. */
  seal(plaintext: Buffer | string, place: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const header = Buffer.concat([Buffer.from([FORMAT]), this.#primary.id]);
    const cipher = createCipheriv('aes-256-gcm', this.#primary.key, iv);
    cipher.setAAD(Buffer.concat([header, Buffer.from(place)]));
    const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([header, iv, cipher.getAuthTag(), body]);
  }

  /** @throws InvariantError for an unknown key, another place, or a changed byte. */
  open(sealed: Buffer, place: string): Buffer {
    const header = sealed.subarray(0, HEADER_BYTES);
    const key = this.#keys.get(header.subarray(1).toString('hex'));
    if (sealed[0] !== FORMAT || key === undefined) {
      throw new InvariantError(
        `${place} was sealed with a master key that is not among those given: add the old key behind the new one`,
      );
    }
    const iv = sealed.subarray(HEADER_BYTES, HEADER_BYTES + IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.concat([header, Buffer.from(place)]));
    decipher.setAuthTag(sealed.subarray(HEADER_BYTES + IV_BYTES, HEADER_BYTES + IV_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES + IV_BYTES + TAG_BYTES)), decipher.final()]);
    } catch (cause) {
      throw new InvariantError(`${place} does not open: its bytes were changed, or moved from another place`, { cause });
    }
  }

  sealJson(value: unknown, place: string): Buffer {
    return this.seal(JSON.stringify(value), place);
  }

  openJson(sealed: Buffer, place: string): unknown {
    return JSON.parse(this.open(sealed, place).toString('utf8'));
  }
}

/** Names a master key without telling it: 8 bytes. @throws InvariantError for a key that has not 32 bytes */
export const keyId = (key: Buffer): Buffer => {
  if (key.length !== 32) throw new InvariantError(`a master key has ${key.length} bytes: 32 were expected`);
  return createHash('sha256').update('windlass key id').update(key).digest().subarray(0, KEY_ID_BYTES);
};

/**
 * The keys of a master key file: one 64-digit hex key a line, the newest first; `#` begins a comment.
 * @throws InvariantError naming the line that is none.
 */
export function parseMasterKeys(text: string): Buffer[] {
  return text
    .split('\n')
    .map((line, index) => ({ line: line.replace(/#.*/, '').trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => {
      if (!/^[0-9a-f]{64}$/i.test(line))
        throw new InvariantError(`line ${number} of the master key is not 64 hexadecimal digits`);
      return Buffer.from(line, 'hex');
    });
}
