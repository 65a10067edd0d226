import { describe, expect, it } from 'vitest';
import { newCertificateKey } from '../../kube/names.js';
import { decrypt, encrypt } from './upload.js';

describe('the certificates that control plane nodes share', () => {
  it('come out as they went in, with the same key', () => {
    const key = newCertificateKey();
    const sealed = encrypt(Buffer.from('-----BEGIN RSA PRIVATE KEY-----'), key);
    expect(sealed.includes('PRIVATE')).toBe(false);
    expect(decrypt(sealed, key).toString()).toBe('-----BEGIN RSA PRIVATE KEY-----');
  });

  it('do not come out with another key, or changed on the way', () => {
    const key = newCertificateKey();
    const sealed = encrypt(Buffer.from('secret'), key);
    expect(() => decrypt(sealed, newCertificateKey())).toThrow('cipher: message authentication failed');
    sealed[14] = (sealed[14] ?? 0) ^ 1;
    expect(() => decrypt(sealed, key)).toThrow('cipher: message authentication failed');
  });
});
