import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import type { Access } from '@windlass/lcm-api';
import { hashText, passwordHashOf, sha256Of } from '@windlass/service-kit';
import axios, { type AxiosResponse } from 'axios';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { startSystem, type System } from '../support/system.js';
import { accessBy, listening } from './support/access.js';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const secrets = { static: randomUUID(), token: randomUUID(), password: randomUUID(), old: randomUUID() };

let system: System;
let folder: string;
let jwt: string;
let environment: Record<string, string>;
const lines: string[] = [];
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  system = await startSystem();
  folder = await mkdtemp(join(tmpdir(), 'windlass-ways-'));
  const [tokens, users] = [join(folder, 'tokens'), join(folder, 'users')];
  const entry = { project: 'default', roles: ['reader'] };
  await writeFile(
    tokens,
    JSON.stringify([
      { ...entry, name: 'nfvo', sha256: sha256Of(secrets.token) },
      { ...entry, name: 'gone', sha256: sha256Of(secrets.old), expires: '2026-01-01T00:00:00Z' },
    ]),
  );
  await writeFile(
    users,
    JSON.stringify([{ ...entry, name: 'anna', password: hashText(await passwordHashOf(secrets.password)) }]),
  );
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] });
  const issuer = createServer((_request, response) => response.setHeader('Content-Type', 'application/json').end(keys));
  await once(issuer.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => issuer.close());
  jwt = await new SignJWT({ sub: 'app', project_id: 'default', roles: ['reader'] })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer('https://issuer.example')
    .setAudience('windlass')
    .setExpirationTime('5m')
    .sign(privateKey);
  environment = {
    LCM_TOKEN: secrets.static,
    LCM_TOKENS_FILE: tokens,
    LCM_USERS_FILE: users,
    LCM_JWT_ISSUER: 'https://issuer.example',
    LCM_JWT_AUDIENCE: 'windlass',
    LCM_JWT_JWKS_URL: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/`,
  };
});

afterAll(async () => {
  for (const end of ends) await end();
  await system.close();
  await rm(folder, { recursive: true });
});

async function replicaWith(more: Record<string, string> = {}): Promise<Replica & { access: Access }> {
  const access = await accessBy({ ...environment, ...more }, listening(lines));
  const replica = await startReplica(system, { more: { authentication: access.authentication } });
  ends.unshift(() => replica.stop());
  return { ...replica, access };
}

const ask = (at: Replica, headers: Record<string, string>, path = PACKAGES): Promise<AxiosResponse<JsonObject>> =>
  axios.get(`${at.url}${path}`, { headers, validateStatus: () => true, proxy: false });

const basic = (user: string, password: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

describe('several ways in at once', () => {
  it('each let in whom they know, and refuse the others with a challenge for each way', async () => {
    const at = await replicaWith({ LCM_FAILED_ATTEMPTS: '100' });
    const good = [
      { 'X-Auth-Token': secrets.static },
      { Authorization: `Bearer ${secrets.static}` },
      { 'X-Auth-Token': secrets.token },
      { Authorization: `bearer ${secrets.token}` },
      { Authorization: `Bearer ${jwt}` },
      basic('anna', secrets.password),
    ];
    for (const headers of good) {
      const answer = await ask(at, headers as Record<string, string>);
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    }
    const bad = [
      { 'X-Auth-Token': secrets.old },
      { 'X-Auth-Token': jwt },
      { 'X-Auth-Token': '' },
      { Authorization: `Bearer ${jwt}x` },
      { Authorization: 'Bearer' },
      { Authorization: 'Digest username="anna"' },
      { Authorization: 'Basic !!!' },
      basic('anna', 'wrong'),
      basic('nobody', secrets.password),
      basic('nfvo', secrets.token),
      {},
    ];
    for (const headers of bad) {
      const answer = await ask(at, headers as Record<string, string>);
      expect(answer.status, JSON.stringify(headers)).toBe(401);
      expect(answer.headers['www-authenticate']).toMatch(
        /^Bearer realm="windlass"(, error="invalid_token")?, Basic realm="windlass", charset="UTF-8"$/,
      );
      expect(answer.data).toMatchObject({ status: 401, title: 'Unauthorized' });
    }
    const said = JSON.stringify([lines, await system.database.query('SELECT * FROM lcm.audit_trail')]);
    for (const secret of [...Object.values(secrets), jwt]) expect(said).not.toContain(secret);
  });

  it('close an address that fails too often, but for credentials that were good before', async () => {
    const at = await replicaWith({ LCM_FAILED_ATTEMPTS: '3' });
    expect((await ask(at, basic('anna', secrets.password))).status).toBe(200);
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await ask(at, basic('anna', `guess ${n}`))).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const closed = await ask(at, { 'X-Auth-Token': secrets.token });
    expect(closed.data).toMatchObject({ status: 429, code: 'auth.attempts' });
    expect(Number(closed.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(closed.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await ask(at, basic('anna', secrets.password))).status).toBe(200);
    expect((await ask(at, {})).status).toBe(401);
  });

  it('count the requests of each identity', async () => {
    const at = await replicaWith({ LCM_REQUESTS_PER_SECOND: '1' });
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(at, { 'X-Auth-Token': secrets.token })));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.data).toMatchObject({ status: 429, code: 'request.too-many' });
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect((await ask(at, { 'X-Auth-Token': secrets.static })).status).toBe(200);
  });
});

describe('the service does not start', () => {
  it.each([
    ['with no way in', {}, /nobody could authenticate: give LCM_TOKEN, .* or say LCM_AUTHENTICATION_IS_OFF=true/],
    ['with a way in and without it', { LCM_TOKEN: secrets.static, LCM_AUTHENTICATION_IS_OFF: 'true' }, /keep one of them/],
    ['with Keystone and nobody to ask it as', { LCM_KEYSTONE_URL: 'http://127.0.0.1:1' }, /expected all three/],
    ['with an issuer and no audience', { LCM_JWT_ISSUER: 'https://issuer.example' }, /expected all three/],
    ['with keys that come in the clear', { LCM_JWT_JWKS_URL: 'http://issuer.example/keys' }, /expected an https URL/],
    ['with signatures of a shared secret', { LCM_JWT_ALGORITHMS: 'HS256' }, /LCM_JWT_ALGORITHMS/],
    ['with no signatures', { LCM_JWT_ALGORITHMS: 'none' }, /LCM_JWT_ALGORITHMS/],
    ['with roles that there are not', { LCM_KEYSTONE_ROLES: 'member=root' }, /expected role=reader/],
    ['without the file of tokens', { LCM_TOKENS_FILE: '/nowhere' }, /LCM_TOKENS_FILE names \/nowhere, which can’t be used/],
  ])('%s', async (_, given, message) => {
    await expect(accessBy(given as Record<string, string>)).rejects.toThrow(message);
  });
});

it('lets everybody in where the operator says so, and the log says it', async () => {
  const said: string[] = [];
  const access = await accessBy({ LCM_AUTHENTICATION_IS_OFF: 'true' }, listening(said));
  const at = await startReplica(system, { more: { authentication: access.authentication } });
  expect((await ask(at, {})).status).toBe(200);
  expect(said.join()).toContain('authentication is off');
  await at.stop();
});
