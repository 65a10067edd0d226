import type { Certificate, ContentInfo, SignedData } from 'pkijs';
import { DIGESTS } from './algorithms.js';

/** What of pkijs is used. It reads structures; every signature is verified by Node's own cryptography. */
export interface Asn1 {
  Certificate: typeof Certificate;
  ContentInfo: typeof ContentInfo;
  SignedData: typeof SignedData;
  /** Parameters of RSASSA-PSS; undefined for digests that are not taken. @throws Error for what is none */
  pss(parameters: unknown): { digest: string; saltLength: number } | undefined;
}

/** Loaded where there is something to verify: it takes longer than reading a small package. */
export async function loadAsn1(): Promise<Asn1> {
  const { Certificate, ContentInfo, RSASSAPSSParams, SignedData } = await import('pkijs');
  const pss: Asn1['pss'] = (schema) => {
    const { hashAlgorithm, saltLength } = new RSASSAPSSParams({ schema });
    const digest = DIGESTS.get(hashAlgorithm.algorithmId);
    return digest === undefined ? undefined : { digest, saltLength };
  };
  return { Certificate, ContentInfo, SignedData, pss };
}
