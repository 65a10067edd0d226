import type { InstantiatedInfo } from '../api/types.js';

/** A certificate of a cluster's master. */
export interface Certificate {
  master: string;
  name: string;
  /** RFC 3339. */
  endsAt: string;
}

/** `windlassCertificates` of an instance (docs/contracts/rest-extensions.md): what was seen when somebody looked last. */
export interface SeenCertificates {
  lookedAt: string;
  certificates: Certificate[];
}

/** What is known of the certificates of an instance's cluster; undefined where nobody has looked. */
export const certificatesIn = (info: InstantiatedInfo | undefined): SeenCertificates | undefined =>
  (info as { metadata?: { windlassCertificates?: SeenCertificates } } | undefined)?.metadata?.windlassCertificates;

const DAY = 24 * 60 * 60 * 1_000;
/** Days before its end from which on a certificate is told of, and from which on it is urgent. */
const TOLD = 60;
const URGENT = 14;

/** How long a certificate has, in words, and how bad that is. */
export function leftOf({ endsAt }: Pick<Certificate, 'endsAt'>, now: number): { text: string; tone: 'good' | 'undo' | 'bad' } {
  const days = Math.floor((Date.parse(endsAt) - now) / DAY);
  if (days < 0) return { text: 'has ended', tone: 'bad' };
  const text = days === 0 ? 'ends today' : days === 1 ? '1 day left' : `${days} days left`;
  return { text, tone: days < URGENT ? 'bad' : days < TOLD ? 'undo' : 'good' };
}

/** Those of several instances that run out soon, the first to end first. */
export function runningOut<T extends { instantiatedVnfInfo?: InstantiatedInfo }>(
  instances: readonly T[],
  now: number,
): { of: T; certificate: Certificate }[] {
  return instances
    .flatMap((of) => (certificatesIn(of.instantiatedVnfInfo)?.certificates ?? []).map((certificate) => ({ of, certificate })))
    .filter(({ certificate }) => leftOf(certificate, now).tone !== 'good')
    .sort((one, other) => Date.parse(one.certificate.endsAt) - Date.parse(other.certificate.endsAt));
}
