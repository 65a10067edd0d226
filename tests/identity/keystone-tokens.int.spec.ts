import { seconds, Secret, waitUntil, type JsonObject } from '@windlass/foundation';
import { OpenStackEmulator } from '@windlass/lab';
import type { Access } from '@windlass/lcm-api';
import { OpenStack } from '@windlass/openstack';
import { apiOf, surroundings } from '@windlass/windlass';
import axios, { type AxiosResponse } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { startSystem, type System } from '../support/system.js';
import { accessBy, listening } from './support/access.js';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';

let system: System;
let keystone: OpenStackEmulator;
let access: Access;
let replica: Replica;
const lines: string[] = [];

/** What the service is told of the emulator's Keystone. */
const told = (of: OpenStackEmulator, more: Record<string, string> = {}): Record<string, string> => ({
  LCM_KEYSTONE_URL: of.url,
  LCM_KEYSTONE_USER: of.vnfm.user,
  LCM_KEYSTONE_PROJECT: of.vnfm.project,
  LCM_KEYSTONE_PASSWORD: of.vnfm.password,
  ...more,
});

async function tokenOf(who: { user: string; project?: string; password: string }): Promise<string> {
  const { user: username, project, password } = who;
  const credentials = { kind: 'password', username, password: new Secret(password) } as const;
  const openStack = OpenStack.open({
    authUrl: keystone.url,
    credentials: project === undefined ? credentials : { ...credentials, project },
  });
  const { id } = await openStack.session.token();
  openStack.close();
  return id.reveal();
}

const ask = (token: string, path = PACKAGES, at: Replica = replica): Promise<AxiosResponse<JsonObject>> =>
  axios.get(`${at.url}${path}`, { headers: { 'X-Auth-Token': token }, validateStatus: () => true, proxy: false });

beforeAll(async () => {
  system = await startSystem();
  keystone = await OpenStackEmulator.start({ speed: 'instant' });
  access = await accessBy(
    told(keystone, {
      LCM_KEYSTONE_CACHE: '1s',
      LCM_KEYSTONE_PUBLIC_URL: 'https://keystone.example/v3',
      LCM_KEYSTONE_TENANTS: `${keystone.projectId(keystone.tenant.project)}=default`,
    }),
    listening(lines),
  );
  replica = await startReplica(system, { more: { authentication: access.authentication } });
});

afterAll(async () => {
  await replica.stop();
  access.close();
  await keystone.stop();
  await system.close();
});

describe('a token of Keystone', () => {
  it('opens the project that it is scoped to, and no other', async () => {
    const [mine, theirs] = [await tokenOf(keystone.tenant), await tokenOf(keystone.secondTenant)];
    const created = await axios.post<JsonObject>(
      `${replica.url}${PACKAGES}`,
      {},
      { headers: { 'X-Auth-Token': mine }, proxy: false },
    );
    const path = `${PACKAGES}/${String(created.data.id)}`;
    expect((await ask(mine, path)).status).toBe(200);
    expect((await ask(theirs, path)).status).toBe(404);
    expect((await ask(theirs)).data).toEqual([]);
    // The tenant of a project that is named in LCM_KEYSTONE_TENANTS is the one that the static token speaks for.
    expect((await system.api.get(path)).status).toBe(200);
  });

  it('is whom the audit trail names, by name and id; nowhere stands the token', async () => {
    const token = await tokenOf(keystone.secondTenant);
    await axios.post(`${replica.url}${PACKAGES}`, {}, { headers: { 'X-Auth-Token': token }, proxy: false });
    const [entry] = await system.database.query<{ actor: string; tenant: string; roles: string[] }[]>(
      'SELECT actor, tenant, roles FROM lcm.audit_trail ORDER BY id DESC LIMIT 1',
    );
    const [{ id }] = await usersOf();
    expect(entry).toEqual({
      actor: `${keystone.secondTenant.user} (${id})`,
      tenant: keystone.projectId(keystone.secondTenant.project),
      roles: ['reader', 'operator'],
    });
    expect(lines.join('\n')).not.toContain(token);
  });

  it('that was never issued is refused with the challenge of Keystone, and so is none at all', async () => {
    for (const headers of [{ 'X-Auth-Token': 'gAAAAAnever-issued' }, {}]) {
      const answer = await axios.get<JsonObject>(`${replica.url}${PACKAGES}`, {
        headers,
        validateStatus: () => true,
        proxy: false,
      });
      expect(answer.status).toBe(401);
      expect(answer.headers).toMatchObject({
        'www-authenticate': 'Keystone uri="https://keystone.example/v3"',
        'cache-control': 'no-store',
        'content-type': expect.stringMatching(/^application\/problem\+json/) as string,
      });
      expect(answer.data).toMatchObject({ status: 401, code: 'X-Auth-Token' in headers ? 'auth.refused' : 'auth.missing' });
    }
  });

  it('that is revoked is refused when what Keystone said of it has grown old', async () => {
    const token = await tokenOf(keystone.tenant);
    expect((await ask(token)).status).toBe(200);
    await axios.delete(`${keystone.url}/auth/tokens`, {
      headers: { 'X-Auth-Token': token, 'X-Subject-Token': token },
      proxy: false,
    });
    const refused = await waitUntil(
      async (seen) => {
        const { status } = await ask(token);
        seen(String(status));
        return status === 200 ? undefined : status;
      },
      { for: 'the token to be refused', within: seconds(20), every: seconds(0.1) },
    );
    expect(refused).toBe(401);
  });

  it('without a project is known and of no use: 403', async () => {
    const { user, password } = keystone.tenant;
    const answer = await ask(await tokenOf({ user, password }));
    expect([answer.status, answer.data.code]).toEqual([403, 'auth.unscoped']);
  });

  it('of somebody whose roles mean nothing here is of no use: 403', async () => {
    const answer = await ask(await tokenOf(keystone.vnfm));
    expect([answer.status, answer.data.code]).toEqual([403, 'auth.no-role']);
  });

  it('is validated once for requests that come together', async () => {
    // What Keystone says is kept for longer here than twenty requests take on a busy machine.
    const lasting = await accessBy(
      told(keystone, {
        LCM_KEYSTONE_CACHE: '5m',
        LCM_KEYSTONE_TENANTS: `${keystone.projectId(keystone.tenant.project)}=default`,
      }),
    );
    const at = await startReplica(system, { more: { authentication: lasting.authentication } });
    try {
      const token = await tokenOf(keystone.tenant);
      const before = keystone.count('GET', /\/v3\/auth\/tokens$/);
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(token, PACKAGES, at)));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      expect(keystone.count('GET', /\/v3\/auth\/tokens$/)).toBe(before + 1);
    } finally {
      await at.stop();
      lasting.close();
    }
  });

  it('is asked for at each request where nothing is to be kept', async () => {
    const keepsNone = await accessBy(
      told(keystone, {
        LCM_KEYSTONE_CACHE: '0s',
        LCM_KEYSTONE_TENANTS: `${keystone.projectId(keystone.tenant.project)}=default`,
      }),
    );
    const at = await startReplica(system, { more: { authentication: keepsNone.authentication } });
    try {
      const token = await tokenOf(keystone.tenant);
      const before = keystone.count('GET', /\/v3\/auth\/tokens$/);
      for (let n = 0; n < 3; n++) expect((await ask(token, PACKAGES, at)).status).toBe(200);
      expect(keystone.count('GET', /\/v3\/auth\/tokens$/)).toBe(before + 3);
    } finally {
      await at.stop();
      keepsNone.close();
    }
  });
});

describe('Keystone', () => {
  it('of the lab names the VNFM in its catalog, once it is told where that is', async () => {
    keystone.registerVnfm('http://127.0.0.1:1');
    keystone.registerVnfm(replica.url);
    const { data } = await axios.get<{ catalog: { type: string; endpoints: { url: string; interface: string }[] }[] }>(
      `${keystone.url}/auth/catalog`,
      { headers: { 'X-Auth-Token': await tokenOf(keystone.tenant) }, proxy: false },
    );
    const named = data.catalog.filter(({ type }) => type === 'nfv-orchestration').flatMap(({ endpoints }) => endpoints);
    expect(new Set(named.map(({ url }) => url))).toEqual(new Set([replica.url]));
    expect(named.map((each) => each.interface)).toContain('public');
  });

  it('leads the command line to the API by OS_* alone, as it leads the openstack client; without the password it says what is missing', async () => {
    keystone.registerVnfm(replica.url);
    const { user, project, password } = keystone.tenant;
    const variables = { OS_AUTH_URL: keystone.url, OS_USERNAME: user, OS_PROJECT_NAME: project, OS_REGION_NAME: 'RegionOne' };
    const api = await apiOf(surroundings({ ...variables, OS_PASSWORD: password }), {});
    const mine = await ask(await tokenOf(keystone.tenant));
    expect((await api.list(PACKAGES)).map(({ id }) => id)).toEqual((mine.data as unknown as JsonObject[]).map(({ id }) => id));
    const refusal = (more: Record<string, string>) =>
      apiOf(surroundings({ ...variables, ...more }), {}).then(String, (error: unknown) => (error as Error).message);
    expect(await refusal({})).toContain('OS_PASSWORD is not: set it, or name a Windlass');
    expect(await refusal({ OS_PASSWORD: 'wrong-secret' })).toMatch(/^Keystone at .* does not accept (?!.*wrong-secret)/);
    expect(await refusal({ OS_PASSWORD: password, OS_REGION_NAME: 'elsewhere' })).toContain(
      'no public endpoint of nfv-orchestration in region "elsewhere"',
    );
    expect(await refusal({ OS_PASSWORD: password, OS_INTERFACE: 'other' })).toContain('expected public, internal or admin');
  });

  /** The answer with a token that nobody here knows yet, where Keystone is as `environment` says. */
  async function answerWith(environment: Record<string, string>, said: string[]): Promise<AxiosResponse<JsonObject>> {
    const other = await accessBy(environment, listening(said));
    const at = await startReplica(system, { more: { authentication: other.authentication } });
    const answer = await ask('gAAAAA-of-somebody', PACKAGES, at);
    await at.stop();
    other.close();
    return answer;
  }

  it('being away is no refusal of the token: 503, and when to come again', async () => {
    const gone = await OpenStackEmulator.start({ speed: 'instant' });
    await gone.stop();
    const said: string[] = [];
    const answer = await answerWith(told(gone), said);
    expect([answer.status, answer.data.code, answer.headers['retry-after']]).toEqual([503, 'auth.keystone-away', '5']);
    expect(said.join('\n')).toContain('warn Keystone could not be asked');
    expect(said.join('\n')).not.toContain('gAAAAA-of-somebody');
  });

  it('that refuses this service itself is the operator’s to mend, not the client’s: 503, and an error in the log', async () => {
    const said: string[] = [];
    const wrong = await answerWith(told(keystone, { LCM_KEYSTONE_PASSWORD: 'wrong' }), said);
    expect([wrong.status, wrong.data.code]).toEqual([503, 'auth.keystone-away']);
    expect(said.join('\n')).toMatch(/error Keystone does not let this service validate tokens/);
  });

  it('lets nobody validate tokens of others who is no service', async () => {
    const { project, user, password } = keystone.tenant;
    const credentials = { kind: 'password', username: user, password: new Secret(password), project } as const;
    const openStack = OpenStack.open({ authUrl: keystone.url, credentials });
    const theirs = new Secret(await tokenOf(keystone.secondTenant));
    await expect(openStack.identity.validate(theirs)).rejects.toMatchObject({ code: 'openstack.forbidden' });
    openStack.close();
  });
});

async function usersOf(): Promise<[{ id: string }]> {
  const token = await tokenOf(keystone.secondTenant);
  const { data } = await axios.get<{ token: { user: { id: string } } }>(`${keystone.url}/auth/tokens`, {
    headers: { 'X-Auth-Token': token, 'X-Subject-Token': token },
    proxy: false,
  });
  return [data.token.user];
}
