import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { isJsonObject } from '@windlass/foundation';

const base64url = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Key id as the API server makes it: SHA-256 of the public key's DER form. */
export const keyId = (key: KeyObject): string => {
  const pub = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(pub.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
};

/** A JSON Web Token signed with RS256 (RFC 7519, RFC 7518 3.3). */
export function signJwt(claims: JsonObject, key: KeyObject): string {
  const head = `${base64url({ alg: 'RS256', kid: keyId(key) })}.${base64url(claims)}`;
  return `${head}.${sign('RSA-SHA256', Buffer.from(head), key).toString('base64url')}`;
}

/** The claims of a token, or undefined when it is no RS256 token signed by one of the keys. Says nothing of its lifetime. */
export function verifyJwt(token: string, keys: readonly KeyObject[]): JsonObject | undefined {
  const [head, claims, signature, ...more] = token.split('.');
  if (head === undefined || claims === undefined || signature === undefined || more.length > 0) return undefined;
  const header = parsePart(head);
  if (header?.alg !== 'RS256') return undefined;
  const signed = keys.some((key) =>
    verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url')),
  );
  return signed ? parsePart(claims) : undefined;
}

function parsePart(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Not JSON: not a token.
    return undefined;
  }
}
