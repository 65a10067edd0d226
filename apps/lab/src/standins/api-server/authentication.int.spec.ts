import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubeClient } from '../client/kube-client.js';
import type { Secret, ServiceAccount } from '../kube/kinds.js';
import { timestamp, type KubeObject } from '../kube/object.js';
import { R } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';
import { issueCertificate, newAuthority } from '../pki/certificates.js';
import { signJwt } from '../pki/jwt.js';
import { startTestApi, type TestApi } from '../testing/test-api.js';

let api: TestApi;
const clients: KubeClient[] = [];

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  for (const client of clients) client.close();
  await api.close();
});

const withToken = (token: string): KubeClient => {
  const client = new KubeClient({ server: api.url, ca: api.pki.ca.cert, token });
  clients.push(client);
  return client;
};

const outcome = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'allowed',
    (error: unknown) => (error instanceof StatusError ? `${error.code} ${error.message}` : String(error)),
  );

const nodes = (client: KubeClient): Promise<string> => outcome(client.list(R.nodes));

async function bootstrapToken(id: string, extra: Record<string, string> = {}): Promise<string> {
  const values = { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true', ...extra };
  const data = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]));
  const metadata = { name: `bootstrap-token-${id}`, namespace: 'kube-system' };
  await api.admin.create<Secret>(R.secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    type: 'bootstrap.kubernetes.io/token',
    data,
  });
  return `${id}.0123456789abcdef`;
}

async function account(name: string): Promise<ServiceAccount> {
  return api.admin.create<ServiceAccount>(R.serviceaccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: 'default' },
  });
}

const tokenFor = async (name: string, spec: object = {}): Promise<string> => {
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name, namespace: 'default' },
    spec,
  };
  const answer = await api.admin.create<KubeObject & { status?: { token: string } }>(R.serviceaccounts, request, 'token');
  return answer.status?.token ?? '';
};

describe('client certificates', () => {
  it('name the user by CN and the groups by O', async () => {
    const client = new KubeClient(await api.accessOf('alice', 'dev', 'ops'));
    clients.push(client);
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: { name: '' } };
    const answer = await client.create(R.selfsubjectreviews, review);
    expect(answer).toMatchObject({ status: { userInfo: { username: 'alice', groups: ['dev', 'ops', 'system:authenticated'] } } });
    expect(await nodes(client)).toBe(
      '403 nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope',
    );
  });

  it('of another authority are 401', async () => {
    const foreign = await issueCertificate(await newAuthority('kubernetes', 1, 'ECDSA-P256'), {
      commonName: 'mallory',
      organizations: ['system:masters'],
      usages: ['clientAuth'],
      days: 1,
      algorithm: 'ECDSA-P256',
    });
    const client = new KubeClient({ server: api.url, ca: api.pki.ca.cert, ...foreign });
    clients.push(client);
    expect(await nodes(client)).toBe('401 Unauthorized');
  });
});

describe('no credentials at all', () => {
  it('are system:anonymous, who sees the version and nothing else', async () => {
    const client = new KubeClient({ server: api.url, ca: api.pki.ca.cert });
    clients.push(client);
    expect(await nodes(client)).toBe(
      '403 nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope',
    );
    expect(await outcome(client.call({ method: 'GET', path: '/version' }))).toBe('allowed');
    expect(await outcome(client.call({ method: 'GET', path: '/api' }))).toContain(
      '403 forbidden: User "system:anonymous" cannot get path "/api"',
    );
  });

  it('are 401 when anonymous requests are turned off', async () => {
    const closed = await startTestApi({ settings: { anonymous: false } });
    const client = new KubeClient({ server: closed.url, ca: closed.pki.ca.cert });
    expect(await nodes(client)).toBe('401 Unauthorized');
    client.close();
    await closed.close();
  });
});

describe('bootstrap tokens', () => {
  it('authenticate until they expire, and not when that is not their use', async () => {
    const good = withToken(await bootstrapToken('aaaaaa', { 'auth-extra-groups': 'system:bootstrappers:x' }));
    expect(await nodes(good)).toContain('403 nodes is forbidden: User "system:bootstrap:aaaaaa"');
    const late = { expiration: timestamp(new Date(Date.now() - 1_000)) };
    expect(await nodes(withToken(await bootstrapToken('bbbbbb', late)))).toBe('401 Unauthorized');
    expect(await nodes(withToken(await bootstrapToken('cccccc', { 'usage-bootstrap-authentication': 'false' })))).toBe(
      '401 Unauthorized',
    );
    expect(await nodes(withToken('aaaaaa.xxxxxxxxxxxxxxxx'))).toBe('401 Unauthorized');
    await api.admin.delete(R.secrets, { namespace: 'kube-system', name: 'bootstrap-token-aaaaaa' });
    expect(await nodes(good)).toBe('401 Unauthorized');
  });
});

describe('tokens of service accounts', () => {
  it('act for their account, with the rights that it is bound to', async () => {
    await account('robot');
    const client = withToken(await tokenFor('robot'));
    expect(await nodes(client)).toContain('403 nodes is forbidden: User "system:serviceaccount:default:robot"');
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ kind: 'ServiceAccount' as const, name: 'robot', namespace: 'default' }];
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'robot' },
      roleRef,
      subjects,
    };
    await api.admin.create(R.clusterrolebindings, binding);
    expect(await nodes(client)).toBe('allowed');
  });

  it('end with their account, even when one of the same name comes after it', async () => {
    await account('passing');
    const client = withToken(await tokenFor('passing'));
    expect(await nodes(client)).toContain('403');
    await api.admin.delete(R.serviceaccounts, { namespace: 'default', name: 'passing' });
    expect(await nodes(client)).toBe('401 Unauthorized');
    await account('passing');
    expect(await nodes(client)).toBe('401 Unauthorized');
  });

  it('are 401 when they are late, for another audience, or signed by another key', async () => {
    const { uid = '' } = (await account('strict')).metadata;
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      aud: [api.settings.serviceAccounts.issuer],
      exp: now + 600,
      nbf: now,
      iss: api.settings.serviceAccounts.issuer,
      'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'strict', uid } },
    };
    const key = createPrivateKey(api.pki.accountKey);
    expect(await nodes(withToken(signJwt(claims, key)))).toContain('403');
    expect(await nodes(withToken(signJwt({ ...claims, exp: now - 1 }, key)))).toBe('401 Unauthorized');
    expect(await nodes(withToken(signJwt({ ...claims, aud: ['vault'] }, key)))).toBe('401 Unauthorized');
    expect(await nodes(withToken(signJwt({ ...claims, iss: 'somebody' }, key)))).toBe('401 Unauthorized');
    expect(await nodes(withToken(`${signJwt(claims, key)}x`))).toBe('401 Unauthorized');
    const [head = '', , signature = ''] = signJwt(claims, key).split('.');
    const forged = Buffer.from(
      JSON.stringify({ ...claims, 'kubernetes.io': { namespace: 'kube-system', serviceaccount: { name: 'x', uid } } }),
    ).toString('base64url');
    expect(await nodes(withToken(`${head}.${forged}.${signature}`))).toBe('401 Unauthorized');
  });

  it('live between ten minutes and as long as asked for', async () => {
    await account('timed');
    expect(await outcome(tokenFor('timed', { expirationSeconds: 60 }))).toContain(
      'may not specify a duration less than 10 minutes',
    );
    const token = await tokenFor('timed', { expirationSeconds: 7_200 });
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as {
      exp: number;
      iat: number;
    };
    expect(claims.exp - claims.iat).toBe(7_200);
  });
});

describe('reviews', () => {
  it('answer who a token is, and what somebody may', async () => {
    await account('asked');
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: { name: '' },
      spec: { token: await tokenFor('asked') },
    };
    expect(await api.admin.create(R.tokenreviews, review)).toMatchObject({
      status: { authenticated: true, user: { username: 'system:serviceaccount:default:asked' } },
    });
    expect(await api.admin.create(R.tokenreviews, { ...review, spec: { token: 'nonsense' } })).toMatchObject({
      status: { authenticated: false },
    });
    const resourceAttributes = { verb: 'create', group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };
    const access = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: { name: '' },
      spec: { user: 'x', groups: ['system:masters'], resourceAttributes },
    };
    expect(await api.admin.create(R.subjectaccessreviews, access)).toMatchObject({ status: { allowed: true } });
    expect(await api.admin.create(R.subjectaccessreviews, { ...access, spec: { ...access.spec, groups: [] } })).toMatchObject({
      status: { allowed: false },
    });
  });
});
