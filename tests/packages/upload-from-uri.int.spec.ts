import { randomBytes, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { minutes, millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { defaultOutboundRules } from '@windlass/outbound';
import { testServer, type SeenRequest, type TestServer } from '@windlass/outbound/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { quiet, startSystem, type System } from '../support/system.js';
import { gate, rawGet, signedPackage } from './support/packages.js';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const MAX_BYTES = 256 * 1024;
const PASSWORD = `password-${randomUUID()}`;
const TOKEN = `token-${randomUUID()}`;

const { zip } = signedPackage();
/** What each request to the repository is answered with, by its path. */
const answers = new Map<string, Parameters<typeof testServer>[0]>();
const logged: string[] = [];

let system: System;
let repository: TestServer;
let elsewhere: TestServer;
let anna: Replica;

const outbound = { rules: { ...defaultOutboundRules, allow: ['127.0.0.0/8'] } };
const packages = { hosts: ['127.0.0.1'], abandonedAfter: seconds(3) };

beforeAll(async () => {
  // Whichever replica takes up what another has left must be allowed the same.
  system = await startSystem({ lcm: { packages, outbound } });
  repository = await testServer((request, response) => {
    const answer = answers.get(request.path.split('?', 1)[0] ?? '');
    if (answer !== undefined) return answer(request, response);
    response.writeHead(404).end('not here');
  });
  elsewhere = await testServer((_request, response) => void response.end(zip), { host: '127.0.0.2' });
  const note = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log = { info: note, warn: note, error: note };
  anna = await startReplica(system, { user: 'anna', more: { packages, outbound, maxPackageBytes: MAX_BYTES, log } });
});

afterAll(async () => {
  await anna.stop();
  await Promise.all([repository.close(), elsewhere.close()]);
  await system.close();
});

const serve = (path: string, answer: Parameters<typeof testServer>[0]): string => {
  answers.set(path, answer);
  return `${repository.url}${path}`;
};

const created = async (): Promise<string> => (await anna.api.post<{ id: string }>(PACKAGES, {})).data.id;
const upload = (id: string, body: JsonObject, { api }: Replica = anna) =>
  api.post<JsonObject>(`${PACKAGES}/${id}/package_content/upload_from_uri`, body);

/** The package once it is ONBOARDED, or CREATED again with the reason. */
const settled = (id: string): Promise<JsonObject> =>
  waitUntil(
    async (seen) => {
      const { data } = await anna.api.get<JsonObject>(`${PACKAGES}/${id}`);
      seen(JSON.stringify(data));
      return data.onboardingState === 'ONBOARDED' || data.onboardingFailureDetails !== undefined ? data : undefined;
    },
    { for: `package ${id} to be fetched or refused`, within: minutes(1), every: millis(50) },
  );

const kept = (id: string): Promise<JsonObject[]> =>
  system.database.query<JsonObject[]>('SELECT upload_source, upload_until FROM package.vnf_package WHERE id = $1', [id]);

describe('a package that is fetched from a URI', () => {
  it('is accepted with an empty 202, and onboarded; its credentials went where they belong and are gone', async () => {
    const url = serve('/good.zip', (request, response) => {
      const expected = `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`;
      const right = request.headers.authorization === expected && request.path.endsWith(`?token=${TOKEN}`);
      response.writeHead(right ? 200 : 403).end(right ? zip : 'no');
    });
    const id = await created();
    const answer = await upload(id, { addressInformation: `${url}?token=${TOKEN}`, userName: 'me', password: PASSWORD });
    expect([answer.status, answer.data]).toEqual([202, '']);
    expect(await settled(id)).toMatchObject({ onboardingState: 'ONBOARDED', operationalState: 'ENABLED' });
    const path = `${PACKAGES}/${id}/package_content`;
    expect((await rawGet(anna.api, path, { 'X-Auth-Token': anna.token })).body.equals(zip)).toBe(true);
    expect(await kept(id)).toEqual([{ upload_source: null, upload_until: null }]);
    await anna.api.patch(`${PACKAGES}/${id}`, { operationalState: 'DISABLED' });
    await anna.api.delete(`${PACKAGES}/${id}`);
  });

  it('is sealed while it is on its way, and neither shown nor logged; a second upload is 409', async () => {
    const rest = gate();
    const url = serve('/slow.zip', async (_request, response) => {
      response.write(zip.subarray(0, 10));
      await rest.passed;
      response.end(zip.subarray(10));
    });
    const id = await created();
    const body = { addressInformation: `${url}?token=${TOKEN}`, userName: 'me', password: PASSWORD };
    expect((await upload(id, body)).status).toBe(202);
    const again = await upload(id, body);
    expect([again.status, again.data.code]).toEqual([409, 'vnf-package.not-created']);
    const dumped = await system.database.query<JsonObject[]>('SELECT p::text FROM package.vnf_package AS p WHERE id = $1', [id]);
    const shown = await anna.api.get<JsonObject>(`${PACKAGES}/${id}`);
    expect(shown.data.onboardingState).toBe('UPLOADING');
    rest.open();
    expect(await settled(id)).toMatchObject({ onboardingState: 'ONBOARDED' });
    const trail = await system.database.query<JsonObject[]>('SELECT * FROM lcm.audit_trail');
    for (const text of [JSON.stringify(dumped), JSON.stringify(shown.data), JSON.stringify(trail), logged.join('\n')]) {
      for (const secret of [PASSWORD, TOKEN, Buffer.from(`me:${PASSWORD}`).toString('base64')])
        expect(text).not.toContain(secret);
    }
  });

  it.each([
    ['no such file', '/none.zip', undefined, 'outbound.refused', /answered 404/],
    [
      'a redirect to elsewhere',
      '/away.zip',
      (_request: SeenRequest, response: ServerResponse): void => void response.writeHead(302, { location: elsewhere.url }).end(),
      'outbound.redirected',
      /redirect to another host/,
    ],
    [
      'more than is taken',
      '/large.zip',
      (_request: SeenRequest, response: ServerResponse): void => void response.end(randomBytes(MAX_BYTES + 1)),
      'outbound.too-large',
      /more than the 262144 bytes/,
    ],
    [
      'no package',
      '/text.zip',
      (_request: SeenRequest, response: ServerResponse): void => void response.end('this is no zip'),
      'csar.malformed',
      /./,
    ],
  ] as const)('goes back to CREATED with a reason that can be read: %s', async (_what, path, answer, code, detail) => {
    const url = answer === undefined ? `${repository.url}${path}` : serve(path, answer);
    const id = await created();
    expect((await upload(id, { addressInformation: url })).status).toBe(202);
    const { onboardingState, onboardingFailureDetails } = await settled(id);
    expect(onboardingState).toBe('CREATED');
    expect(onboardingFailureDetails).toMatchObject({ code, detail: expect.stringMatching(detail) as string });
    expect(await kept(id)).toEqual([{ upload_source: null, upload_until: null }]);
    expect(elsewhere.seen).toHaveLength(0);
    // And it can be tried again.
    const good = serve('/after.zip', (_request, response) => void response.end('no zip either'));
    expect((await upload(id, { addressInformation: good })).status).toBe(202);
    await settled(id);
  });

  it('is asked for again where its server breaks off', async () => {
    let asked = 0;
    const fresh = signedPackage().zip;
    const url = serve('/broken.zip', (_request, response) => {
      asked += 1;
      response.writeHead(200, { 'content-length': String(fresh.length) });
      if (asked === 1) response.write(fresh.subarray(0, 100), () => response.destroy());
      else response.end(fresh);
    });
    const id = await created();
    await upload(id, { addressInformation: url });
    expect(await settled(id)).toMatchObject({ onboardingState: 'ONBOARDED' });
    expect(asked).toBe(2);
  });

  it('is given up when its time is over', async () => {
    const hurried = await startReplica(system, {
      user: 'hurried',
      more: { packages: { ...packages, fetchWithin: seconds(1) }, outbound },
    });
    const url = serve('/never.zip', (_request, response) => void response.write('PK'));
    const id = await created();
    await upload(id, { addressInformation: url }, hurried);
    expect((await settled(id)).onboardingFailureDetails).toMatchObject({ code: 'outbound.timeout' });
    await hurried.stop();
  });

  it('is handed over by a replica that stops', async () => {
    const leaving = await startReplica(system, { user: 'leaving', more: { packages, outbound } });
    const fresh = signedPackage().zip;
    const rest = gate();
    let asked = 0;
    const url = serve('/handed.zip', (_request, response) => {
      asked += 1;
      if (asked > 1) response.end(fresh);
      else response.write(fresh.subarray(0, 10), () => rest.open());
    });
    const id = await created();
    await upload(id, { addressInformation: url, userName: 'me', password: PASSWORD }, leaving);
    await rest.passed;
    await leaving.stop();
    expect(await settled(id)).toMatchObject({ onboardingState: 'ONBOARDED' });
    expect(asked).toBe(2);
    expect(await kept(id)).toEqual([{ upload_source: null, upload_until: null }]);
  });
});

describe('a URI that is not fetched from', () => {
  it('is none of the hosts that are allowed; where none is, the error says which variable names them', async () => {
    const id = await created();
    for (const host of ['localhost', '127.0.0.2', '169.254.169.254', '[::1]', '127.0.0.1.evil.example', '2130706433.example']) {
      const refused = await upload(id, { addressInformation: `http://${host}/p.zip` });
      expect([host, refused.status, refused.data.code]).toEqual([host, 400, 'vnf-package.host-refused']);
      expect(refused.data.invalidParams).toMatchObject([{ path: '/addressInformation' }]);
    }
    const nobody = await startReplica(system, { user: 'nobody', more: { log: quiet } });
    const refused = await upload(id, { addressInformation: `${repository.url}/good.zip` }, nobody);
    expect([refused.status, refused.data.code]).toEqual([400, 'vnf-package.host-refused']);
    expect(String(refused.data.detail)).toContain('LCM_PACKAGE_HOSTS');
    await nobody.stop();
    expect((await anna.api.get<JsonObject>(`${PACKAGES}/${id}`)).data.onboardingState).toBe('CREATED');
  });

  it('lies on this machine, which an allowed host does not open', async () => {
    const inside = await startReplica(system, { user: 'inside', more: { packages } });
    const id = await created();
    const before = repository.seen.length;
    expect((await upload(id, { addressInformation: `${repository.url}/good.zip` }, inside)).status).toBe(202);
    expect((await settled(id)).onboardingFailureDetails).toMatchObject({ code: 'outbound.address-refused' });
    expect(repository.seen).toHaveLength(before);
    await inside.stop();
  });

  it.each([
    [{}],
    [{ addressInformation: 'file:///etc/passwd' }],
    [{ addressInformation: 'ftp://127.0.0.1/x' }],
    [{ addressInformation: '/etc/passwd' }],
    [{ addressInformation: 'http://me:secret@127.0.0.1/x' }],
    [{ addressInformation: 7 }],
    [{ addressInformation: 'http://127.0.0.1/x', password: {} }],
    [[]],
  ])('is no http URL, or its body is no request: %j', async (body) => {
    const refused = await upload(await created(), body as JsonObject);
    expect([refused.status, refused.data.code]).toEqual([400, 'request.invalid-body']);
    expect(JSON.stringify(refused.data)).not.toContain('secret@');
  });

  it('belongs to another project, or to no package: 404', async () => {
    const eve = await startReplica(system, { tenant: 'another', user: 'eve', more: { packages, outbound } });
    const body = { addressInformation: `${repository.url}/good.zip` };
    for (const id of [await created(), randomUUID(), 'none']) expect((await upload(id, body, eve)).status).toBe(404);
    await eve.stop();
  });
});
