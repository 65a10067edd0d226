import { describe, expect, it } from 'vitest';
import { keyFingerprints } from './key-fingerprints.js';
import { BOTH_KEYS, ED25519_KEY, RSA_KEY } from './testing/keys.js';

describe('fingerprints of the keys in a file', () => {
  it('are those that gpg shows', () => {
    for (const { armored, fingerprint } of [RSA_KEY, ED25519_KEY]) {
      expect(keyFingerprints(armored)).toEqual([fingerprint]);
      expect(keyFingerprints(armored.replaceAll('\n', '\r\n'))).toEqual([fingerprint]);
      const withHeaders = armored.replace(
        'BLOCK-----\n\n',
        'BLOCK-----\nVersion: GnuPG v2.0.15 (GNU/Linux)\nComment: of OBS\n\n',
      );
      expect(keyFingerprints(withHeaders)).toEqual([fingerprint]);
    }
    expect(keyFingerprints(BOTH_KEYS)).toEqual([RSA_KEY.fingerprint, ED25519_KEY.fingerprint]);
  });

  it.each([
    ['a page', '<html>-----BEGIN PGP PUBLIC KEY BLOCK-----', 'no armored public key'],
    ['nothing', '', 'no armored public key'],
    ['a key that is cut short', RSA_KEY.armored.replace(/\n.*\n=H56i/, ''), 'cut short'],
    ['no packets', '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----', 'no OpenPGP packet'],
  ])('are not made up of %s', (_what, text, why) => {
    expect(() => keyFingerprints(text)).toThrow(why);
  });
});
