import { createPrivateKey, X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text, in its order. @throws Error for one that can't be read */
const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(CERTIFICATE) ?? []).map((each) => new X509Certificate(each));

/** When the first of the certificates expires; undefined where one can't be read, or there is none. */
export function expiryOf(pem: string): Date | undefined {
  try {
    const ends = certificatesIn(pem).map(({ validTo }) => Date.parse(validTo));
    return ends.length === 0 ? undefined : new Date(Math.min(...ends));
  } catch {
    return undefined;
  }
}

/** Whether the first certificate names hosts and addresses as subjectAltName, the only place where today's clients look. */
export const hasNames = (pem: string): boolean => certificatesIn(pem)[0]?.subjectAltName !== undefined;

/** Why a key does not fit a certificate, without quoting the key; undefined for one that fits. */
export function keyFault(certificate: string, key: string): string | undefined {
  let [fits, why] = [false, 'it is the key of another certificate'];
  try {
    fits = certificatesIn(certificate)[0]?.checkPrivateKey(createPrivateKey(key)) ?? false;
  } catch {
    why = "it can't be read";
  }
  return fits ? undefined : why;
}
