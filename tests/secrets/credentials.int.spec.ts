import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis, Secret, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { testServer, tokenEndpoint } from '@windlass/outbound/testing';
import { hashText, passwordHashOf, ServiceLog, sha256Of } from '@windlass/service-kit';
import { labEnvironment } from '@windlass/workbench';
import axios, { type AxiosResponse } from 'axios';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessBy } from '../identity/support/access.js';
import { NOTIFYING, SUBSCRIPTIONS } from '../notifications/support/notifying.js';
import { Subscriber, type Behaviour } from '../notifications/support/subscriber.js';
import { signedPackage } from '../packages/support/packages.js';
import { startStandInNfvo } from '../support/standin-nfvo.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { everyAnswer, everyColumn, expectNone } from './support/secret-search.js';

const DRIVER = 'mgmt-drivers-curious';
const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const ISSUER = 'https://issuer.example';

/** By what it is; each is random and stands nowhere else. */
const secrets = new Map<string, string>();
const known = (what: string, text: string): string => {
  secrets.set(what, text);
  return text;
};
const secret = (what: string): string => known(what, randomBytes(18).toString('base64url'));
/** A name and a password as HTTP sends them; the whole is as good as the password. */
const basic = (user: string, password: string): string =>
  `Basic ${known(`the header with ${password.slice(0, 3)}...`, Buffer.from(`${user}:${password}`).toString('base64'))}`;

const written: string[] = [];
const heard: string[] = [];
const answers: string[] = [];
const log = new ServiceLog({
  service: 'all',
  version: '1',
  replica: 'all@1',
  level: 'trace',
  sink: { write: (line) => void written.push(line) },
});
/** What is to be closed in the end, the last first. */
const ends: (() => unknown)[] = [];
let system: System;
let driver: TestDriver;
let jwtOf: (project: string) => Promise<string>;

/** Who may ask, by every way that there is: its variables. */
async function waysIn(folder: string): Promise<Record<string, string>> {
  const entry = { project: 'default', roles: ['admin'] };
  const [tokens, users] = [join(folder, 'tokens'), join(folder, 'users')];
  await writeFile(tokens, JSON.stringify([{ ...entry, name: 'nfvo', sha256: sha256Of(secret('a token of the file')) }]));
  const password = hashText(await passwordHashOf(secret('a Basic user’s password')));
  await writeFile(users, JSON.stringify([{ ...entry, name: 'anna', password }]));
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] });
  const issuer = createServer((_request, response) => response.setHeader('Content-Type', 'application/json').end(keys));
  await once(issuer.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => issuer.close());
  jwtOf = (project) =>
    new SignJWT({ sub: 'app', project_id: project, roles: ['admin'] })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(ISSUER)
      .setAudience('windlass')
      .setExpirationTime('5m')
      .sign(privateKey);
  return {
    LCM_TOKEN: secret('the static token'),
    LCM_TOKENS_FILE: tokens,
    LCM_USERS_FILE: users,
    LCM_JWT_ISSUER: ISSUER,
    LCM_JWT_AUDIENCE: 'windlass',
    LCM_JWT_JWKS_URL: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/`,
  };
}

const client = { id: 'windlass', password: secret('the NFVO’s OAuth2 client secret') };

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-credentials-'));
  ends.push(() => rm(folder, { recursive: true }));
  const tokens = await tokenEndpoint(client);
  const nfvo = await startStandInNfvo({ knows: (request) => tokens.accepts(request) });
  system = await startSystem({
    log,
    nfvo: {
      url: nfvo.url,
      publicUrl: 'http://vnfm.example',
      auth: { kind: 'oauth2', clientId: client.id, clientPassword: new Secret(client.password), tokenEndpoint: tokens.url },
      grantWithin: seconds(60),
      askAgainEvery: millis(100),
    },
    lcm: { ...NOTIFYING, packages: { hosts: ['127.0.0.1'] } },
    access: async (emulator) => {
      const vnfmPasswordFile = join(folder, 'vnfm-password');
      await writeFile(vnfmPasswordFile, known('the Keystone service user’s password', emulator.vnfm.password), { mode: 0o600 });
      const lab = { keystoneUrl: emulator.url, project: emulator.tenant.project, vnfmPasswordFile, emulator };
      return accessBy({ ...labEnvironment(lab)('lcm-api'), ...(await waysIn(folder)) }, log);
    },
  });
  ends.push(nfvo.close, tokens.close, () => system.close());
  system.link.connection.subscribe('>', {
    callback: (_error, { subject, data, headers }) =>
      void heard.push(`${subject} ${headers?.toString() ?? ''} ${Buffer.from(data).toString('latin1')}`),
  });
  system.api.defaults.headers['X-Auth-Token'] = secrets.get('the static token') ?? '';
  system.api.interceptors.response.use((answer) => {
    answers.push(JSON.stringify([answer.data, answer.headers]));
    return answer;
  });
  known('the VIM’s password', system.emulator.tenant.password);
  await registerVim(system);
  driver = await startTestDriver(system, DRIVER, { hooks: ['instantiate_start', 'instantiate_end'] });
  ends.push(() => driver.stop());
  await useEveryWayIn();
  await subscribe();
  await fetchPackages();
  await operate();
  for (const token of tokens.given) known('the NFVO’s access token', token);
  for (const [index, token] of system.emulator.tokens.entries()) known(`Keystone’s token ${index}`, token);
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

const ask = async (headers: Record<string, string>): Promise<AxiosResponse<unknown>> => {
  const answer = await axios.get<unknown>(`${system.api.defaults.baseURL ?? ''}${PACKAGES}`, {
    headers,
    validateStatus: () => true,
    proxy: false,
  });
  answers.push(JSON.stringify([answer.data, answer.headers]));
  return answer;
};

/** A token of the tenant's user, as the command line gets it. */
async function keystoneToken(): Promise<string> {
  const { user, password, project } = system.emulator.tenant;
  const domain = { name: 'Default' };
  const { headers } = await axios.post<unknown>(`${system.emulator.url}/auth/tokens`, {
    auth: {
      identity: { methods: ['password'], password: { user: { name: user, password, domain } } },
      scope: { project: { name: project, domain } },
    },
  });
  return String(headers['x-subject-token']);
}

async function useEveryWayIn(): Promise<void> {
  const [good, stranger] = [await jwtOf('default'), await jwtOf('elsewhere')];
  for (const [what, jwt] of Object.entries({ 'a JWT': good, 'a JWT of another project': stranger }))
    known(`${what}’s signature`, known(what, jwt).split('.')[2] ?? '');
  const taken: Record<string, string>[] = [
    { 'X-Auth-Token': secrets.get('the static token') ?? '' },
    { 'X-Auth-Token': secrets.get('a token of the file') ?? '' },
    { 'X-Auth-Token': await keystoneToken() },
    { Authorization: `Bearer ${good}` },
    { Authorization: `Bearer ${stranger}` },
    { Authorization: basic('anna', secrets.get('a Basic user’s password') ?? '') },
  ];
  for (const headers of taken) expect((await ask(headers)).status).toBe(200);
  const refused: Record<string, string>[] = [
    { 'X-Auth-Token': secret('a token that nobody knows') },
    { Authorization: `Bearer ${known('a JWT that was changed', `${good.slice(0, -20)}${secret('its end').slice(0, 20)}`)}` },
    { Authorization: basic('anna', secret('a password that is wrong')) },
    { Authorization: basic('nobody', secret('a password of nobody')) },
  ];
  for (const headers of refused) expect((await ask(headers)).status).toBe(401);
}

/** Subscribers with BASIC and OAuth2 that take all; one that refuses from the first notification on, so that its failures are kept; one that is refused. */
async function subscribe(): Promise<void> {
  const callbackClient = { id: 'callback', password: secret('a callback’s OAuth2 client secret') };
  const tokens = await tokenEndpoint(callbackClient);
  const login = basic('me', secret('a callback’s password'));
  const start = async (behaviour: Behaviour): Promise<Subscriber> => {
    const subscriber = await Subscriber.start(behaviour);
    ends.push(() => subscriber.goAway());
    return subscriber;
  };
  const byPassword = await start((_attempt, { headers }) => (headers.authorization === login ? 204 : 401));
  const byToken = await start((_attempt, request) => (tokens.accepts(request) ? 204 : 401));
  const refusing = await start(() => 401);
  ends.push(() => tokens.close());
  const withPassword = (password: string) => ({ authType: ['BASIC'], paramsBasic: { userName: 'me', password } });
  const withClient = (clientPassword: string) => ({
    authType: ['OAUTH2_CLIENT_CREDENTIALS'],
    paramsOauth2ClientCredentials: { clientId: callbackClient.id, clientPassword, tokenEndpoint: tokens.url },
  });
  const post = (callbackUri: string, authentication: JsonObject) =>
    system.api.post<JsonObject>(SUBSCRIPTIONS, { callbackUri, authentication });
  const rightly = await Promise.all([
    post(byPassword.url, withPassword(secrets.get('a callback’s password') ?? '')),
    post(byToken.url, withClient(callbackClient.password)),
    post(refusing.url, withPassword(secret('a password that a callback refuses'))),
  ]);
  expect(rightly.map(({ status }) => status)).toEqual([201, 201, 201]);
  const wrongly = await Promise.all([
    post('http://169.254.169.254/', withPassword(secret('a password for where nobody may go'))),
    post(`${byToken.url}/x`, withClient(secret('a client secret that is refused'))),
    post(`${byToken.url}/y`, { ...withClient(secret('one that is not a request')), authType: ['BASIC'] }),
  ]);
  expect(wrongly.map(({ status }) => status)).toEqual([400, 400, 400]);
  told = async () => {
    await Promise.all([byPassword.until(4), byToken.until(4)]);
    expect(refusing.attempts).toBeGreaterThan(0);
    for (const token of tokens.given) known('a callback’s access token', token);
  };
}
let told = (): Promise<void> => Promise.reject(new Error('nobody has subscribed'));

/** One that is fetched, one whose repository refuses the password, one that may not be fetched from there. */
async function fetchPackages(): Promise<void> {
  const login = basic('me', secret('a repository’s password'));
  const token = secret('a token in a package’s URL');
  const { zip } = signedPackage();
  const repository = await testServer(({ headers }, response) => {
    const right = headers.authorization === login;
    response.writeHead(right ? 200 : 403).end(right ? zip : 'no');
  });
  ends.push(() => repository.close());
  const upload = async (from: string, password: string): Promise<[number, string]> => {
    const { data } = await system.api.post<{ id: string }>(PACKAGES, {});
    const body = { addressInformation: `${from}/a.zip?token=${token}`, userName: 'me', password };
    const { status } = await system.api.post(`${PACKAGES}/${data.id}/package_content/upload_from_uri`, body);
    return [status, `${PACKAGES}/${data.id}`];
  };
  const good = await upload(repository.url, secrets.get('a repository’s password') ?? '');
  const bad = await upload(repository.url, secret('a password that a repository refuses'));
  const foreign = await upload('http://127.0.0.2', secret('a password for another repository'));
  expect([good[0], bad[0], foreign[0]]).toEqual([202, 202, 400]);
  const settled = (path: string, word: string): Promise<true> =>
    waitUntil(async () => JSON.stringify((await system.api.get<unknown>(path)).data).includes(word) || undefined, {
      for: `${word} in ${path}`,
      within: seconds(60),
      every: millis(50),
    });
  await settled(good[1], '"ONBOARDED"');
  await settled(bad[1], '403');
}

/** An instantiation that the NFVO grants, with a driver that is asked for its hooks, and its notifications. */
async function operate(): Promise<void> {
  const vnfdId = '7d1f0c52-5d0e-4b1e-9d6a-2f4c7b9e1a31';
  const bound = ['instantiate_start', 'instantiate_end']
    .map((hook) => `          ${hook}: { implementation: ${DRIVER} }\n`)
    .join('');
  const withHooks = (vnfd: string): string =>
    vnfd.replace('\n    VDU1:', `\n      interfaces:\n        Vnflcm:\n${bound}    VDU1:`);
  await onboardZip(system.api, scalingPackage(vnfdId, withHooks));
  const url = await createVnf(system.api, vnfdId);
  const op = await atRest(system.api, await system.api.post(`${url}/instantiate`, scalingRequest('net0')), seconds(60));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED', grantId: expect.any(String) as string });
  await told();
}

describe('of all credentials that Windlass was given, or gave, none', () => {
  it('was told to a driver, which makes what goes to hosts', () => {
    expect(driver.told.map(({ hook }) => hook)).toEqual(['instantiate_start', 'instantiate_end']);
    expectNone(
      secrets,
      driver.told.map((each) => JSON.stringify(each)),
      'a question to the driver',
    );
  });

  it('stands in an answer', async () => {
    const lists = [SUBSCRIPTIONS, '/vnflcm/v1/vnf_instances', '/vnflcm/v1/vnf_lcm_op_occs', PACKAGES, '/v1.0/vims'];
    answers.push(...(await everyAnswer(system.api, lists)));
    for (const text of ['"callbackUri"', 'answered 401', '"onboardingFailureDetails"', '"grantId"', 'www-authenticate'])
      expect(answers.join(''), text).toContain(text);
    expectNone(secrets, answers, 'an answer');
  });

  it('stands in a log, at its lowest level', () => {
    for (const text of ['grant', 'subscri', '401']) expect(written.join(''), text).toContain(text);
    expectNone(secrets, written, 'a log');
  });

  it('went over NATS', () => {
    for (const subject of [
      'windlass.saga.claim',
      'windlass.saga.result',
      'windlass.vim.register',
      `windlass.mgmt.${DRIVER}.plan`,
    ])
      expect(
        heard.some((message) => message.startsWith(subject)),
        subject,
      ).toBe(true);
    expectNone(secrets, heard, 'a message');
  });

  it('lies in PostgreSQL in the clear', async () => {
    const values = await everyColumn(system);
    for (const column of ['lcm.audit_trail', 'lcm.subscription.authentication', 'lcm.notification', 'lcm.vnf_lcm_op_occ.request'])
      expect(
        values.some((value) => value.startsWith(column)),
        column,
      ).toBe(true);
    expectNone(secrets, values, 'a column');
  });
});
