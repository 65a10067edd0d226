import type { KubeClient } from '../../client/kube-client.js';
import type { Secret } from '../../kube/kinds.js';
import { BOOTSTRAP_TOKEN } from '../../kube/names.js';
import { timestamp } from '../../kube/object.js';
import { R } from '../../kube/resources.js';
import type { BootstrapTokenSettings } from '../settings.js';

export const TOKEN_SECRET_TYPE = 'bootstrap.kubernetes.io/token';

export const tokenSecretName = (id: string): string => `bootstrap-token-${id}`;

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** Stores a bootstrap token as the secret that https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/ describes. */
export async function putToken(
  client: KubeClient,
  { token, description, ttl, usages, groups }: BootstrapTokenSettings,
): Promise<Secret> {
  const [, id = '', secret = ''] = BOOTSTRAP_TOKEN.exec(token) ?? [];
  const data: Record<string, string> = { 'token-id': base64(id), 'token-secret': base64(secret) };
  if (description !== '') data.description = base64(description);
  if (ttl > 0) data.expiration = base64(timestamp(new Date(Date.now() + ttl)));
  for (const usage of usages) data[`usage-bootstrap-${usage}`] = base64('true');
  if (groups.length > 0) data['auth-extra-groups'] = base64(groups.join(','));
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: tokenSecretName(id), namespace: 'kube-system' },
    type: TOKEN_SECRET_TYPE,
    data,
  };
  return client.apply(R.secrets, object);
}

/** A stored token, read back. */
export interface StoredToken {
  token: string;
  description: string;
  /** RFC 3339; undefined for a token without end. */
  expiration: string | undefined;
  usages: string[];
  groups: string[];
}

export function readStoredToken(secret: Secret): StoredToken {
  const value = (name: string): string => Buffer.from(secret.data?.[name] ?? '', 'base64').toString('utf8');
  const prefix = 'usage-bootstrap-';
  return {
    token: `${value('token-id')}.${value('token-secret')}`,
    description: value('description'),
    expiration: value('expiration') === '' ? undefined : value('expiration'),
    usages: Object.keys(secret.data ?? {})
      .filter((name) => name.startsWith(prefix) && value(name) === 'true')
      .map((name) => name.slice(prefix.length))
      .sort(),
    groups: value('auth-extra-groups')
      .split(',')
      .filter((group) => group !== ''),
  };
}
