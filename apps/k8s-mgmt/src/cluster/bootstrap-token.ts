import { randomInt } from 'node:crypto';
import { Secret, type JsonObject } from '@windlass/foundation';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

const word = (length: number): string => Array.from({ length }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');

/** A bootstrap token, `[a-z0-9]{6}.[a-z0-9]{16}`: its first part is public, the second a secret. */
export const newToken = (): Secret => new Secret(`${word(6)}.${word(16)}`);

/** The public part, which names the token. */
export const tokenId = (token: Secret): string => token.reveal().split('.')[0] ?? '';

export const JOIN_TOKEN_TYPE = 'bootstrap.kubernetes.io/token';

/** How the description of a token begins that Windlass made: no other is revoked. */
export const MADE_BY_WINDLASS = 'Windlass: ';

/** The object that makes a token one to join with: https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/ */
export function joinTokenSecret(token: Secret, expires: Date): JsonObject {
  const [id = '', secret = ''] = token.reveal().split('.');
  const data = {
    'token-id': id,
    'token-secret': secret,
    description: `${MADE_BY_WINDLASS}for one node to join`,
    expiration: expires.toISOString().replace(/\.\d+Z$/, 'Z'),
    'usage-bootstrap-authentication': 'true',
    'usage-bootstrap-signing': 'true',
    'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: JOIN_TOKEN_TYPE,
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString('base64')])),
  };
}
