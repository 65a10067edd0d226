import type { Certificate } from './certificate.js';

/** Certificates between a signer's and a trusted one. */
const MOST_BETWEEN = 8;

/**
 * Whether a certificate is trusted, or comes from one that is. Each is looked at once, those that are nearest first: strangers' certificates cost
 * no more than their number squared.
 * @param given what lies beside the signature: it helps to find a way, and is believed in nothing
 * @param usable which of the certificates may be on the way
 */
export function isTrusted(
  signer: Certificate,
  given: readonly Certificate[],
  trusted: readonly Certificate[],
  usable: (certificate: Certificate) => boolean,
): boolean {
  const anchors = new Set(trusted.map(({ id }) => id));
  const left = new Map([...trusted, ...given].filter(usable).map((each) => [each.id, each]));
  left.delete(signer.id);
  let reached = usable(signer) ? [signer] : [];
  for (let between = 0; reached.length > 0; between += 1) {
    if (reached.some(({ id }) => anchors.has(id))) return true;
    if (between > MOST_BETWEEN) return false;
    const issuers = [...left.values()].filter(
      (issuer) => (issuer.issues?.most ?? -1) >= between && reached.some((certificate) => isFrom(certificate, issuer)),
    );
    for (const { id } of issuers) left.delete(id);
    reached = issuers;
  }
  return false;
}

/** By its names, and by its signature; OpenSSL throws for some signatures of a wrong form. */
function isFrom({ x509, wellSigned }: Certificate, issuer: Certificate): boolean {
  try {
    return wellSigned && x509.checkIssued(issuer.x509) && x509.verify(issuer.x509.publicKey);
  } catch {
    return false;
  }
}
