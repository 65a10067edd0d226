import { X509Certificate } from 'node:crypto';

/** SHA-256 of a CA's certificate (the first of several), hex: it tells which cluster it is of. Undefined for what is no certificate. */
export function caFingerprint(pem: unknown): string | undefined {
  if (typeof pem !== 'string') return undefined;
  try {
    return new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();
  } catch {
    return undefined;
  }
}
