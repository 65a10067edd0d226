import { randomBytes, randomUUID } from 'node:crypto';
import { seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { defaultOutboundRules } from '@windlass/outbound';
import { testServer, tokenEndpoint } from '@windlass/outbound/testing';
import { schemaErrors } from '@windlass/sol003/schemas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica, type ReplicaOptions } from '../observability/support/replicas.js';
import { createVnf, onboard, startSystem, type System } from '../support/system.js';
import { NOTIFYING, subscribe, SUBSCRIPTIONS } from './support/notifying.js';
import { Subscriber } from './support/subscriber.js';

const PACKAGES = '/vnfpkgm/v1/subscriptions';

let system: System;
let subscriber: Subscriber;
let vnfdId: unknown;

beforeAll(async () => {
  system = await startSystem({ lcm: NOTIFYING });
  ({ vnfdId } = await onboard(system.api, 'cnf'));
  subscriber = await Subscriber.start();
});
afterAll(async () => {
  await subscriber.goAway();
  await system.close();
});

const callback = () => `${subscriber.url}/${randomUUID()}`;
const replica = (options: ReplicaOptions): Promise<Replica> => startReplica(system, options);

describe.each([
  [SUBSCRIPTIONS, 'LccnSubscription', 'VnfIdentifierCreationNotification'],
  [PACKAGES, 'PkgmSubscription', 'VnfPackageChangeNotification'],
] as const)('%s', (path, schema, type) => {
  it('makes, shows, lists and deletes a subscription', async () => {
    const body = { callbackUri: callback(), filter: { notificationTypes: [type] } };
    const made = await system.api.post<JsonObject>(path, body);
    expect(made.status).toBe(201);
    expect(schemaErrors(schema, made.data)).toEqual([]);
    expect(made.data).toMatchObject(body);
    const at = new URL(String(made.headers.location)).pathname;
    expect((await system.api.get<JsonObject>(at)).data).toEqual(made.data);
    expect((await system.api.get<JsonObject[]>(path)).data).toContainEqual(made.data);
    expect((await system.api.delete(at)).status).toBe(204);
    for (const method of ['get', 'delete'] as const) expect((await system.api[method](at)).status).toBe(404);
    expect((await system.api.get<JsonObject[]>(path)).data).not.toContainEqual(made.data);
  });

  it('answers 303 with the Location and nothing else to one that asks for the same', async () => {
    const body = { callbackUri: callback(), filter: { notificationTypes: [type] } };
    const { id } = await subscribe(system.api, body, path);
    const again = await system.api.post(path, { ...body, filter: { notificationTypes: [type, type] } }, { maxRedirects: 0 });
    expect([again.status, again.data]).toEqual([303, '']);
    expect(new URL(String(again.headers.location)).pathname).toBe(`${path}/${String(id)}`);
  });

  it('says which field is wrong', async () => {
    const wrong: [JsonObject, string][] = [
      [{}, '/callbackUri'],
      [{ callbackUri: 'ftp://x/' }, '/callbackUri'],
      [{ callbackUri: 'http://u:p@x/' }, '/callbackUri'],
      [{ callbackUri: callback(), filter: { notificationTypes: ['Bogus'] } }, '/filter/notificationTypes/0'],
      [{ callbackUri: callback(), authentication: { authType: ['BASIC'] } }, '/authentication/paramsBasic'],
    ];
    for (const [body, at] of wrong) {
      const { status, data } = await system.api.post<{ invalidParams?: { path: string }[] }>(path, body);
      expect([status, data.invalidParams?.[0]?.path]).toEqual([400, at]);
    }
  });

  it('takes filters, selectors and markers, and refuses unknown ones', async () => {
    const { id, callbackUri } = await subscribe(system.api, { callbackUri: callback() }, path);
    const list = async (query: string) => (await system.api.get<JsonObject[]>(`${path}?${query}`)).data;
    expect(await list(`filter=(eq,id,${String(id)})`)).toMatchObject([{ id, callbackUri }]);
    expect(await list(`filter=(eq,id,${randomUUID()})`)).toEqual([]);
    for (const query of ['all_fields', 'fields=filter', 'exclude_fields=filter', 'exclude_default'])
      expect((await system.api.get(`${path}?${query}`)).status, query).toBe(200);
    for (const query of ['attribute_not_exist=x', 'filter=(eq,bogus,x)', 'fields=filter&exclude_fields=filter'])
      expect((await system.api.get(`${path}?${query}`)).status, query).toBe(400);
  });

  it('is not there for another project', async () => {
    const other = await replica({ tenant: `other-${schema}`, user: `other-${schema}`, more: NOTIFYING });
    const body = { callbackUri: callback() };
    const { id } = await subscribe(system.api, body, path);
    expect((await other.api.get(`${path}/${String(id)}`)).status).toBe(404);
    expect((await other.api.delete(`${path}/${String(id)}`)).status).toBe(404);
    expect((await other.api.get<JsonObject[]>(path)).data).toEqual([]);
    expect((await other.api.get<JsonObject[]>('/windlass/v1/subscriptions')).data).toEqual([]);
    expect((await other.api.get(`/windlass/v1/subscriptions/${String(id)}`)).status).toBe(404);
    const own = await subscribe(other.api, body, path);
    expect(own.id).not.toBe(id);
    await other.stop();
  });
});

describe.each([SUBSCRIPTIONS, '/vnflcm/v2/subscriptions', PACKAGES])('a callback of many characters at %s', (path) => {
  const asks = path.includes('v2') ? { headers: { Version: '2.0.0' } } : {};
  const long = (length: number) => `${callback()}?sp=%2Ftriggers&sig=`.padEnd(length, 'Q7c');

  it.each([319, 2_048])('of %i is taken, kept as it is, and called', async (length) => {
    const callbackUri = long(length);
    const made = await system.api.post<JsonObject>(path, { callbackUri }, asks);
    expect([made.status, made.data.callbackUri]).toEqual([201, callbackUri]);
    const at = new URL(String(made.headers.location)).pathname;
    expect((await system.api.get<JsonObject>(at, asks)).data).toMatchObject({ callbackUri });
    const called = callbackUri.slice(new URL(callbackUri).origin.length);
    expect(subscriber.requests.filter((request) => request.path === called)).toMatchObject([{ method: 'GET' }]);
    if (path === PACKAGES) return;
    await createVnf(system.api, vnfdId);
    await waitUntil(
      () =>
        Promise.resolve(subscriber.requests.some((request) => request.method === 'POST' && request.path === called) || undefined),
      { for: 'the notification', within: seconds(30), every: seconds(0.05) },
    );
    expect((await system.api.delete(at, asks)).status).toBe(204);
  });

  it('of 2,049 is refused, with the limit', async () => {
    const { status, data } = await system.api.post<JsonObject>(path, { callbackUri: long(2_049) }, asks);
    expect([status, data.invalidParams]).toEqual([
      400,
      [{ path: '/callbackUri', reason: expect.stringContaining('at most 2048 characters') as string }],
    ]);
  });
});

describe.each([SUBSCRIPTIONS, '/vnflcm/v2/subscriptions', PACKAGES])('the limit of %s', (path) => {
  it('refuses one more than a project may have, also of several that come at once; another project and a deletion have room', async () => {
    const most = { notifications: { ...NOTIFYING.notifications, most: 3 } };
    const at = (name: string) => replica({ tenant: `${name}${path}`, user: `${name}${path}`, more: { ...NOTIFYING, ...most } });
    const [crowded, other] = await Promise.all([at('crowded'), at('other')]);
    const asks = { maxRedirects: 0, headers: path.includes('v2') ? { Version: '2.0.0' } : {} };
    const post = ({ api }: Replica, callbackUri: string) => api.post<JsonObject>(path, { callbackUri }, asks);
    const uris = Array.from({ length: 6 }, callback);
    const made = await Promise.all(uris.map((uri) => post(crowded, uri)));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
    const refused = made.find(({ status }) => status === 409);
    expect(refused?.data).toMatchObject({
      code: 'subscription.too-many',
      detail: expect.stringContaining('may have 3') as string,
    });
    expect(String(refused?.headers['content-type'])).toContain('application/problem+json');
    const first = made.findIndex(({ status }) => status === 201);
    expect((await post(crowded, uris[first] ?? '')).status).toBe(303);
    expect((await post(other, callback())).status).toBe(201);
    await crowded.api.delete(new URL(String(made[first]?.headers.location)).pathname, asks);
    expect((await post(crowded, callback())).status).toBe(201);
    expect((await post(crowded, callback())).status).toBe(409);
    await Promise.all([crowded.stop(), other.stop()]);
  });
});

describe('the test of a callback', () => {
  const refusal = async (body: JsonObject) => {
    const { status, data } = await system.api.post<JsonObject>(SUBSCRIPTIONS, body);
    return { status, ...data };
  };

  it('refuses one that answers something else than 204, and one where nobody listens', async () => {
    const wrong = await testServer((_, response) => void response.end('hello'));
    const failed = { status: 400, title: 'Failed to Test Notification', code: 'subscription.callback-failed' };
    expect(await refusal({ callbackUri: wrong.url })).toMatchObject({ ...failed, invalidParams: [{ path: '/callbackUri' }] });
    await wrong.close();
    expect(await refusal({ callbackUri: wrong.url })).toMatchObject(failed);
  });

  it('follows no redirect', async () => {
    const moving = await testServer((_, response) => void response.writeHead(302, { location: subscriber.url }).end());
    const seen = subscriber.requests.length;
    expect(await refusal({ callbackUri: moving.url })).toMatchObject({ status: 400 });
    expect(subscriber.requests).toHaveLength(seen);
    await moving.close();
  });

  it('says who it is, and refuses where the credentials are refused', async () => {
    const client = { id: 'windlass', password: randomBytes(9).toString('hex') };
    const tokens = await tokenEndpoint(client);
    const closed = await testServer((request, response) => {
      const basic = request.headers.authorization === `Basic ${Buffer.from('u:p').toString('base64')}`;
      response.writeHead(basic || tokens.accepts(request) ? 204 : 401).end();
    });
    const basic = (password: string) => ({ authType: ['BASIC'], paramsBasic: { userName: 'u', password } });
    const oauth2 = (clientPassword: string) => ({
      authType: ['OAUTH2_CLIENT_CREDENTIALS'],
      paramsOauth2ClientCredentials: { clientId: client.id, clientPassword, tokenEndpoint: tokens.url },
    });
    const at = (name: string, authentication?: JsonObject) => ({
      callbackUri: `${closed.url}/${name}`,
      ...(authentication === undefined ? {} : { authentication }),
    });
    expect(await refusal(at('nobody'))).toMatchObject({ status: 400 });
    expect(await refusal(at('basic', basic('wrong')))).toMatchObject({ status: 400 });
    expect(await refusal(at('oauth2', oauth2('wrong')))).toMatchObject({
      status: 400,
      invalidParams: [{ path: '/authentication' }],
    });
    expect(await subscribe(system.api, at('basic', basic('p')))).not.toHaveProperty('authentication');
    expect(await subscribe(system.api, at('oauth2', oauth2(client.password)))).not.toHaveProperty('authentication');
    await closed.close();
    await tokens.close();
  });

  it('can be left out, and where it may not be connected to is refused all the same', async () => {
    const quiet = await replica({ user: 'quiet', more: { notifications: { testsCallbacks: false } } });
    const post = async (body: JsonObject) => (await quiet.api.post<JsonObject>(SUBSCRIPTIONS, body)).status;
    expect(await post({ callbackUri: 'http://10.255.255.1/never-asked' })).toBe(201);
    const refused = [
      'http://127.0.0.1/',
      'http://localhost:9890/',
      'http://169.254.169.254/latest',
      'http://[::ffff:127.0.0.1]/',
      'http://[::1]/',
    ];
    for (const callbackUri of refused) expect([callbackUri, await post({ callbackUri })]).toEqual([callbackUri, 400]);
    const tokenEndpoint = 'http://169.254.169.254/token';
    const paramsOauth2ClientCredentials = { clientId: 'c', clientPassword: 'p', tokenEndpoint };
    const authentication = { authType: ['OAUTH2_CLIENT_CREDENTIALS'], paramsOauth2ClientCredentials };
    expect(await post({ callbackUri: 'http://10.255.255.1/other', authentication })).toBe(400);
    await quiet.stop();
  });

  it('is no promise: a name that leads elsewhere afterwards is not followed there', async () => {
    let leadsTo = '127.0.0.1';
    const resolve = () => Promise.resolve([{ address: leadsTo, family: 4 }]);
    const rules = { ...defaultOutboundRules, allow: ['127.0.0.1'] };
    const rebound = await replica({ tenant: 'rebound', user: 'rebound', more: { ...NOTIFYING, outbound: { rules, resolve } } });
    const callbackUri = subscriber.url.replace('127.0.0.1', 'rebound.example');
    const subscription = await subscribe(rebound.api, { callbackUri });
    leadsTo = '127.0.0.2';
    expect((await rebound.api.post('/vnflcm/v1/subscriptions', { callbackUri: `${callbackUri}/x` })).status).toBe(400);
    expect(subscription.id).toBeDefined();
    await rebound.stop();
  });
});

describe('a subscriber to packages', () => {
  it('hears of the onboarding, of each change of state and of the deletion, as far as its filter asks', async () => {
    const [all, changes, others] = await Promise.all([Subscriber.start(), Subscriber.start(), Subscriber.start()]);
    await subscribe(system.api, { callbackUri: all.url }, PACKAGES);
    await subscribe(system.api, { callbackUri: changes.url, filter: { operationalState: 'DISABLED' } }, PACKAGES);
    await subscribe(system.api, { callbackUri: others.url, filter: { vnfdId: [randomUUID()] } }, PACKAGES);
    const { id, vnfdId } = await onboard(system.api, 'simple-vm');
    const at = `/vnfpkgm/v1/vnf_packages/${String(id)}`;
    for (const operationalState of ['DISABLED', 'ENABLED', 'DISABLED'])
      expect((await system.api.patch(at, { operationalState })).status).toBe(200);
    expect((await system.api.delete(at)).status).toBe(204);
    await all.until(5);
    await changes.until(3);
    const change = (changeType: string) => `VnfPackageChangeNotification ${changeType}`;
    const state = change('OP_STATE_CHANGE');
    expect(all.story()).toEqual(['VnfPackageOnboardingNotification undefined', state, state, state, change('PKG_DELETE')]);
    expect(changes.story()).toEqual([state, state, change('PKG_DELETE')]);
    expect(all.heard.every((each) => each.vnfPkgId === id && each.vnfdId === vnfdId)).toBe(true);
    expect(all.heard[1]).toMatchObject({ operationalState: 'DISABLED' });
    expect([others.attempts, all.faults, changes.faults]).toEqual([0, [], []]);
    await Promise.all([all, changes, others].map((each) => each.goAway()));
  });
});

describe('credentials of a subscription', () => {
  it('lie nowhere in the clear, and come back in no answer', async () => {
    const password = `password-${randomBytes(9).toString('hex')}`;
    const paramsBasic = { userName: 'u', password };
    const body = { callbackUri: callback(), authentication: { authType: ['BASIC'], paramsBasic } };
    const { id } = await subscribe(system.api, body);
    const answers = [
      (await system.api.get(`${SUBSCRIPTIONS}/${String(id)}`)).data as unknown,
      (await system.api.get(`${SUBSCRIPTIONS}?all_fields`)).data as unknown,
      (await system.api.get('/windlass/v1/subscriptions')).data as unknown,
      await system.database.query('SELECT * FROM lcm.subscription'),
      await system.database.query('SELECT * FROM lcm.audit_trail'),
    ];
    const shown = JSON.stringify(answers) + answers.map(String).join();
    for (const spelt of [password, Buffer.from(password).toString('hex'), Buffer.from(`u:${password}`).toString('base64')])
      expect(shown).not.toContain(spelt);
    // It is sent, all the same.
    expect(subscriber.requests.at(-1)?.headers.authorization).toBe(`Basic ${Buffer.from(`u:${password}`).toString('base64')}`);
  });
});
