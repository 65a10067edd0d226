import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { TerminalError } from '@windlass/foundation';

/** An X25519 public key as messages and tables have it. */
export interface PublicKey {
  /** The thumbprint of RFC 7638 and RFC 8037: base64url of the SHA-256 over the key's canonical JWK. */
  readonly id: string;
  /** The 32 bytes in base64url: `x` of its JWK. */
  readonly x: string;
}

/** Both keys as JWKs: Node.js documents this format of encodings, and its types leave it out. */
const AS_JWK = { privateKeyEncoding: { format: 'jwk' }, publicKeyEncoding: { format: 'jwk' } };

/** An X25519 key pair. The private half leaves the object only through {@link KeyPair.write}. */
export class KeyPair {
  readonly public: PublicKey;
  readonly #privateKey: KeyObject;

  private constructor(privateKey: KeyObject, x: string) {
    this.#privateKey = privateKey;
    this.public = publicKey(x);
  }

  /**
   * A new pair.
   *
   * Node.js hands the pair out as JWKs, and the private key is read from its JWK. The key object that `generateKeyPairSync` itself hands out shares a
   * lock with the job that made it: a garbage collection that ends this job while the object is being exported waits for that lock, which the same
   * thread holds, and the process stands still for ever (seen on Node.js 20.20, once in some 20,000 keys).
   */
  static generate(): KeyPair {
    const made: { privateKey: unknown } = generateKeyPairSync('x25519', AS_JWK as never);
    const key = made.privateKey as JsonWebKey;
    return new KeyPair(createPrivateKey({ format: 'jwk', key }), key.x ?? '');
  }

  /** @throws TerminalError `sealing.bad-key` when the text is no PKCS #8 PEM of an X25519 key */
  static fromPem(pem: string): KeyPair {
    let key: KeyObject;
    try {
      key = createPrivateKey(pem);
    } catch (cause) {
      throw new TerminalError('sealing.bad-key', 'a private key is no PEM that can be read', { cause });
    }
    if (key.asymmetricKeyType !== 'x25519') {
      throw new TerminalError(
        'sealing.bad-key',
        `a private key is of type ${key.asymmetricKeyType ?? 'unknown'}; expected x25519`,
      );
    }
    return new KeyPair(key, createPublicKey(key).export({ format: 'jwk' }).x ?? '');
  }

  /** @internal for opening boxes */
  get privateKey(): KeyObject {
    return this.#privateKey;
  }

  /**
   * Reads the key file; where there is no file, generates a key and writes the file (mode 0600). Two processes that start at once get the same key.
   * @throws TerminalError `sealing.key-exposed` when others may read the file; `sealing.bad-key`
   */
  static inFile(file: string): KeyPair {
    const pem = readKeyFile(file);
    if (pem !== undefined) return KeyPair.fromPem(pem);
    const made = KeyPair.generate();
    made.write(file);
    return KeyPair.fromPem(readKeyFile(file) ?? '');
  }

  /** Writes the private key as PKCS #8 PEM with mode 0600. An existing file stays as it is. */
  write(file: string): void {
    const temporary = `${file}.${randomBytes(6).toString('hex')}`;
    writeFileSync(temporary, this.#privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' });
    try {
      // A link either appears with the whole file, or fails because another process was faster.
      linkSync(temporary, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(temporary);
    }
  }
}

function readKeyFile(file: string): string | undefined {
  try {
    const mode = statSync(file).mode & 0o777;
    if ((mode & 0o077) !== 0) {
      throw new TerminalError(
        'sealing.key-exposed',
        `others may read ${file} (mode ${mode.toString(8)}); make it 0600, and the key anew if it was seen`,
      );
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * A public key from its 32 bytes in base64url.
 * @throws TerminalError `sealing.bad-key` when it is not 32 bytes of base64url
 */
export function publicKey(x: string): PublicKey {
  if (!/^[A-Za-z0-9_-]{43}$/.test(x) || Buffer.from(x, 'base64url').length !== 32) {
    throw new TerminalError('sealing.bad-key', 'a public key is not 32 bytes in base64url');
  }
  return { id: createHash('sha256').update(`{"crv":"X25519","kty":"OKP","x":"${x}"}`).digest('base64url'), x };
}

/** @internal the key in the form of node:crypto */
export const keyObjectOf = ({ x }: PublicKey): KeyObject =>
  createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'X25519', x } });
