import type { PrivateKeyFault } from '@windlass/mgmt-driver';
import ssh2 from 'ssh2';

/** What `ssh-keygen -a` may have said: a round takes some 20 ms of this process, which does nothing else meanwhile. ssh-keygen's own are 16 or 24. */
const MAX_ROUNDS = 32;

/** RSA of 16384 bits has 13 KB. */
const MAX_KEY_LENGTH = 16 * 1024;

const TAKEN =
  'an OpenSSH key ("BEGIN OPENSSH PRIVATE KEY", as ssh-keygen writes it) or a PEM one ("BEGIN RSA" or "EC PRIVATE KEY") was expected';

/**
 * Why a private key can't be used for a login, as one may read it: nothing of the key or its passphrase is in it.
 * @returns undefined for one that can be
 */
export function privateKeyFault(privateKey: string, passphrase: string | undefined): PrivateKeyFault | undefined {
  const wrong = (reason: string): PrivateKeyFault => ({ of: 'privateKey', reason });
  if (privateKey.length > MAX_KEY_LENGTH) return wrong(`has more than ${MAX_KEY_LENGTH} characters: ${TAKEN}`);
  const [, kind] = /^-----BEGIN ((?:OPENSSH |RSA |EC )?(?:PRIVATE|PUBLIC) KEY)-----\n/.exec(privateKey) ?? [];
  if (kind === 'PRIVATE KEY')
    return wrong('is a key by PKCS #8: write it anew with "ssh-keygen -p -f FILE", and give what is in the file then');
  if (kind === undefined || kind.endsWith('PUBLIC KEY')) return wrong(`is no private key: ${TAKEN}`);
  const costs = tooDear(privateKey);
  if (costs !== undefined) return wrong(costs);
  const key = parsed(privateKey, passphrase);
  if (key instanceof Error) return faultOf(key.message);
  return key.isPrivateKey() ? undefined : wrong(`is no private key: ${TAKEN}`);
}

/** What ssh2 has against a key, as one may read it. */
export function faultOf(said: string): PrivateKeyFault {
  if (/no passphrase given/i.test(said)) return { of: 'passphrase', reason: 'is missing: the private key is encrypted' };
  if (/bad passphrase/i.test(said)) return { of: 'passphrase', reason: 'does not open the private key' };
  return { of: 'privateKey', reason: `can't be read: ${TAKEN}. Is it whole, with its line breaks?` };
}

function parsed(privateKey: string, passphrase: string | undefined): ssh2.ParsedKey | Error {
  try {
    return ssh2.utils.parseKey(privateKey, passphrase);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Why opening a key would take too long, if it would. */
export function tooDear(privateKey: string): string | undefined {
  const rounds = roundsOf(privateKey);
  if (rounds <= MAX_ROUNDS) return undefined;
  return `is encrypted with ${rounds} rounds, more than ${MAX_ROUNDS}: write it anew with "ssh-keygen -p -a 16 -f FILE"`;
}

/**
 * How often the passphrase is hashed (openssh/PROTOCOL.key), some 20 ms of processor time each; 0 for a key that is not encrypted so, or no key,
 * and for one that {@link privateKeyFault} refuses before it hashes.
 */
export function roundsToOpen(privateKey: string, passphrase: string | undefined): number {
  if (passphrase === undefined || privateKey.length > MAX_KEY_LENGTH) return 0;
  const rounds = roundsOf(privateKey);
  return rounds > MAX_ROUNDS ? 0 : rounds;
}

/** As {@link roundsToOpen}, of any key. */
function roundsOf(privateKey: string): number {
  if (!privateKey.startsWith('-----BEGIN OPENSSH')) return 0;
  const base64 = privateKey.replaceAll(/-----[^-]*-----|\s/g, '');
  const blob = Buffer.from(base64, 'base64');
  let at = 'openssh-key-v1\0'.length;
  const next = (): Buffer => {
    if (at + 4 > blob.length) return Buffer.alloc(0);
    const length = blob.readUInt32BE(at);
    const field = blob.subarray(at + 4, at + 4 + length);
    at += 4 + length;
    return field;
  };
  next(); // cipher
  const kdf = next().toString('latin1');
  const options = next();
  if (kdf !== 'bcrypt' || options.length < 8) return 0;
  const saltEnd = 4 + options.readUInt32BE(0);
  return saltEnd + 4 <= options.length ? options.readUInt32BE(saltEnd) : 0;
}
