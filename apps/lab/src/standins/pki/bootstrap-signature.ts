import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The detached JWS (RFC 7515 appendix F) with which the bootstrap signer vouches for `cluster-info`: HS256 with the
 * token's secret half, its id as key id. https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/
 */
export function signClusterInfo(content: string, tokenId: string, tokenSecret: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: tokenId })).toString('base64url');
  return `${header}..${mac(header, content, tokenSecret)}`;
}

/** Whether the detached signature is one of that token over that content. */
export function isClusterInfoSignedBy(content: string, signature: string, tokenId: string, tokenSecret: string): boolean {
  const [header, payload, given] = signature.split('.');
  if (header === undefined || payload !== '' || given === undefined) return false;
  const expected = signClusterInfo(content, tokenId, tokenSecret).split('.');
  if (header !== expected[0]) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(expected[2] ?? '')];
  return a.length === b.length && timingSafeEqual(a, b);
}

const mac = (header: string, content: string, secret: string): string =>
  createHmac('sha256', secret)
    .update(`${header}.${Buffer.from(content).toString('base64url')}`)
    .digest('base64url');
