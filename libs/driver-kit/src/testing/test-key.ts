import { generateKeyPairSync } from 'node:crypto';
import ssh2 from 'ssh2';

/** A new key pair for logins. */
export interface TestKey {
  /** PEM, encrypted where a passphrase was given. A passphrase is tried in no time; in OpenSSH's own format it is not. */
  privateKey: string;
  /** Lines of the private key, which must not appear anywhere in the clear. */
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
