/** What is taken of what is signed with: SHA-2 of at least 256 bits, RSA of at least 2048, curves of at least 256. */

/** Digests by their object identifiers, by Node's names. */
export const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

/** How a signature is made. */
export interface SignatureScheme {
  key: 'rsa' | 'rsa-pss' | 'ec';
  /** By Node's name; undefined where it is that of the content (`rsaEncryption`), or of the parameters (RSASSA-PSS). */
  digest: string | undefined;
}

export const RSASSA_PSS = '1.2.840.113549.1.1.10';

export const SCHEMES: ReadonlyMap<string, SignatureScheme> = new Map([
  ['1.2.840.113549.1.1.1', { key: 'rsa', digest: undefined }],
  ['1.2.840.113549.1.1.11', { key: 'rsa', digest: 'sha256' }],
  ['1.2.840.113549.1.1.12', { key: 'rsa', digest: 'sha384' }],
  ['1.2.840.113549.1.1.13', { key: 'rsa', digest: 'sha512' }],
  [RSASSA_PSS, { key: 'rsa-pss', digest: undefined }],
  ['1.2.840.10045.4.3.2', { key: 'ec', digest: 'sha256' }],
  ['1.2.840.10045.4.3.3', { key: 'ec', digest: 'sha384' }],
  ['1.2.840.10045.4.3.4', { key: 'ec', digest: 'sha512' }],
]);

/** What of the rest people still use, for messages. */
const WEAK: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.2.5', 'MD5'],
  ['1.3.14.3.2.26', 'SHA-1'],
  ['2.16.840.1.101.3.4.2.4', 'SHA-224'],
  ['1.2.840.113549.1.1.4', 'MD5 and RSA'],
  ['1.2.840.113549.1.1.5', 'SHA-1 and RSA'],
  ['1.2.840.10045.4.1', 'SHA-1 and ECDSA'],
]);

export const algorithmName = (identifier: string): string => WEAK.get(identifier) ?? `the algorithm ${identifier}`;

export const RSA_BITS = 2_048;

/** Curves of at least 256 bits, by OpenSSL's names. */
export const CURVES: ReadonlySet<string> = new Set([
  'prime256v1',
  'secp384r1',
  'secp521r1',
  'brainpoolP256r1',
  'brainpoolP384r1',
  'brainpoolP512r1',
]);
