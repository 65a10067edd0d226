import { createCipheriv, createDecipheriv, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto';
import { shape, TerminalError, type TypeOf } from '@windlass/foundation';
import { KeyPair, keyObjectOf, publicKey, type PublicKey } from './key-pair.js';

const keyText = shape.text({ pattern: '^[A-Za-z0-9_-]{43}$' });

/** The schema of a {@link SealedBox}. */
export const sealedBoxSchema = shape.titled(
  'Sealed box',
  shape.closed({
    v: shape.constant(1),
    /** The recipient's key id. */
    kid: keyText,
    /** The ephemeral public key, base64url. */
    epk: keyText,
    /** Ciphertext and 16 bytes of tag, base64url. */
    ct: shape.text({ pattern: '^[A-Za-z0-9_-]{22,}$' }),
  }),
);

/**
 * A text that only the holder of one private key can read, and that nobody can change unseen. The box does not tell who sealed it.
 *
 * Ephemeral-static X25519; HKDF-SHA-256 over the shared secret with salt = ephemeral key || recipient's key and
 * info = `windlass-sealed-box-1` gives 32 bytes of AES-256-GCM key and 12 bytes of nonce. Each box has an ephemeral key of its own, so that
 * no key meets two nonces. The additional data binds the box to its place (an operation and a step, say): in another place the box does not open.
 */
export type SealedBox = TypeOf<typeof sealedBoxSchema>;

const INFO = 'windlass-sealed-box-1';
const TAG_BYTES = 16;

function cipherKey(secret: Buffer, ephemeral: string, recipient: string): { key: Buffer; nonce: Buffer } {
  const salt = Buffer.concat([Buffer.from(ephemeral, 'base64url'), Buffer.from(recipient, 'base64url')]);
  const derived = Buffer.from(hkdfSync('sha256', secret, salt, INFO, 44));
  return { key: derived.subarray(0, 32), nonce: derived.subarray(32) };
}

/** Seals bytes for a recipient. */
export const seal = (recipient: PublicKey, plaintext: Uint8Array, additionalData: string): SealedBox =>
  sealWith(KeyPair.generate(), recipient, plaintext, additionalData);

/** @internal {@link seal} with a given ephemeral pair, for test vectors */
export function sealWith(ephemeral: KeyPair, recipient: PublicKey, plaintext: Uint8Array, additionalData: string): SealedBox {
  const epk = ephemeral.public.x;
  const secret = agreed(ephemeral.privateKey, keyObjectOf(recipient));
  const { key, nonce } = cipherKey(secret, epk, recipient.x);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(additionalData, 'utf8'));
  const ct = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  return { v: 1, kid: recipient.id, epk, ct };
}

/** @internal X25519 with the all-zero result refused (RFC 7748 6.1), which OpenSSL does itself: a key of small order would give a secret that everybody knows. */
export function agreed(privateKey: KeyObject, theirs: KeyObject): Buffer {
  try {
    return diffieHellman({ privateKey, publicKey: theirs });
  } catch (cause) {
    throw new TerminalError('sealing.bad-key', 'a public key gives no shared secret', { cause });
  }
}

/**
 * Opens a box.
 * @throws TerminalError `sealing.other-recipient` when the box is sealed to another key; `sealing.broken` when the box or its additional data was
 *   changed
 */
export function open(recipient: KeyPair, box: SealedBox, additionalData: string): Buffer {
  if (box.kid !== recipient.public.id) {
    throw new TerminalError('sealing.other-recipient', `a box is sealed to key ${box.kid}; ours is ${recipient.public.id}`);
  }
  const bytes = Buffer.from(box.ct, 'base64url');
  if ((box.v as number) !== 1 || bytes.length < TAG_BYTES) throw new TerminalError('sealing.broken', 'a sealed box is malformed');
  const secret = agreed(recipient.privateKey, keyObjectOf(publicKey(box.epk)));
  const { key, nonce } = cipherKey(secret, box.epk, recipient.public.x);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(additionalData, 'utf8'));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new TerminalError(
      'sealing.broken',
      `a box sealed to key ${box.kid} does not open: it, or what it belongs to, was changed`,
      { cause },
    );
  }
}
