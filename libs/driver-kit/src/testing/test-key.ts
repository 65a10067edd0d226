import { generateKeyPairSync } from 'node:crypto';
import ssh2 from 'ssh2';

/** A key pair to log in with, made anew. */
export interface TestKey {
  /** PEM, encrypted where a passphrase was given: tried in no time, as OpenSSH's own format is not. */
  privateKey: string;
  /** Lines of it that may stand nowhere in the clear. */
  secretLines: string[];
  /** A line of `authorized_keys`. */
  publicKey: string;
}

/**
 * Makes a key pair for tests.
 * @throws Error where ssh2 can't read what Node wrote
 */
export function testKey(passphrase?: string): TestKey {
  const locked = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  const { privateKey: pair } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateKey = pair.export({ type: 'sec1', format: 'pem', ...locked }).toString();
  const parsed = ssh2.utils.parseKey(privateKey, passphrase);
  if (parsed instanceof Error) throw parsed;
  return {
    privateKey,
    secretLines: privateKey.split('\n').filter((line) => /^[A-Za-z0-9+/=]{8,}$/.test(line)),
    publicKey: `${parsed.type} ${parsed.getPublicSSH().toString('base64')}`,
  };
}
