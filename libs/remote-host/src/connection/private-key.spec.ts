import { processorTime } from '@windlass/foundation/testing';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { privateKeyFault } from './private-key.js';

/** By ECDSA: of the Ed25519 keys that ssh2 writes, one in some 250 can be read by nobody, OpenSSH included. */
const openssh = (passphrase?: string): string =>
  ssh2.utils.generateKeyPairSync('ecdsa', {
    bits: 256,
    ...(passphrase === undefined ? {} : { passphrase, cipher: 'aes256-ctr', rounds: 1 }),
  }).private;

const rsa = createPrivateKey(
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
);
const pem = (passphrase?: string): string =>
  rsa
    .export({ type: 'pkcs1', format: 'pem', ...(passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }) })
    .toString();
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }).toString();

describe('a private key', () => {
  it.each([
    ['OpenSSH', openssh(), undefined],
    ['OpenSSH, encrypted', openssh('open sesame'), 'open sesame'],
    ['RSA by PEM', pem(), undefined],
    ['RSA by PEM, encrypted', pem('open sesame'), 'open sesame'],
    ['EC by PEM', ec, undefined],
    ['without its last line break', openssh().trim(), undefined],
    ['not encrypted, with a passphrase that it does not need', openssh(), 'of another'],
  ])('is taken: %s', (_kind, key, passphrase) => {
    expect(privateKeyFault(key, passphrase)).toBeUndefined();
  });

  it.each([
    ['OpenSSH', openssh('open sesame')],
    ['PEM', pem('open sesame')],
  ])('that is encrypted needs its passphrase: %s', (_kind, key) => {
    expect(privateKeyFault(key, undefined)).toMatchObject({
      of: 'passphrase',
      reason: 'is missing: the private key is encrypted',
    });
    expect(privateKeyFault(key, 'open sasame')).toMatchObject({ of: 'passphrase', reason: 'does not open the private key' });
  });

  it.each([
    ['a text', 'secret-of-mine', 'is no private key'],
    ['nothing', '', 'is no private key'],
    ['a public key', ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).public, 'is no private key'],
    ['one line of it', openssh().replaceAll('\n', ' '), 'is no private key'],
    ['half of it', openssh().slice(0, 200), 'Is it whole, with its line breaks?'],
    ['with line ends of Windows', openssh().replaceAll('\n', '\r\n'), 'is no private key'],
    ['half of PEM', pem().slice(0, 300), 'Is it whole, with its line breaks?'],
    ['by PKCS #8', rsa.export({ type: 'pkcs8', format: 'pem' }).toString(), 'ssh-keygen -p'],
    ['larger than any key', `-----BEGIN RSA PRIVATE KEY-----\n${'A'.repeat(20_000)}`, 'more than 16384 characters'],
  ])('is refused, and not quoted: %s', (_what, key, reason) => {
    const fault = privateKeyFault(key, undefined);
    expect(fault?.of).toBe('privateKey');
    expect(fault?.reason).toContain(reason);
    for (const line of key.split('\n').filter((each) => each.length > 8 && !each.startsWith('-----'))) {
      expect(fault?.reason).not.toContain(line);
    }
  });

  it('whose passphrase would be hashed for minutes is refused before it is', () => {
    const began = processorTime();
    const fault = privateKeyFault(withRounds(openssh('open sesame'), 0x7fffffff), 'open sesame');
    expect(fault?.reason).toContain('2147483647 rounds');
    expect(processorTime() - began).toBeLessThan(5_000);
  });
});

/** The key with another number of rounds in its head. */
function withRounds(key: string, rounds: number): string {
  const blob = Buffer.from(key.replaceAll(/-----[^-]*-----|\s/g, ''), 'base64');
  const bcrypt = blob.indexOf('bcrypt');
  // After the name: the options' length, the salt's length, the salt, the rounds.
  const salt = bcrypt + 'bcrypt'.length + 4;
  blob.writeUInt32BE(rounds, salt + 4 + blob.readUInt32BE(salt));
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${blob.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`;
}
