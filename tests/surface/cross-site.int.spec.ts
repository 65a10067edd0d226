import { randomUUID } from 'node:crypto';
import { Secret, type JsonObject } from '@windlass/foundation';
import { Authentication, startLcmApi, staticToken } from '@windlass/lcm-api';
import axios, { type AxiosInstance } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quiet, startSystem, type System } from '../support/system.js';

const INSTANCES = '/vnflcm/v1/vnf_instances';
const PUBLIC = 'https://vnfm.example';

let system: System;
let published: Awaited<ReturnType<typeof startLcmApi>>;
let behindProxy: AxiosInstance;

beforeAll(async () => {
  system = await startSystem();
  const { link, database, masterKeys, policy } = system;
  const identity = { tenant: 'default', user: 'admin', roles: ['admin' as const] };
  published = await startLcmApi({
    link,
    database,
    masterKeys,
    policy,
    authentication: new Authentication({ ways: [staticToken(new Secret('test-token'), identity)] }),
    host: '127.0.0.1',
    port: 0,
    publicUrl: `${PUBLIC}/nfv`,
    maxPackageBytes: 1024,
    log: quiet,
  });
  const headers = { 'X-Auth-Token': 'test-token' };
  behindProxy = axios.create({ baseURL: published.url, headers, validateStatus: () => true, proxy: false });
});

afterAll(async () => {
  await published.stop();
  await system.close();
});

const own = (): string => String(system.api.defaults.baseURL);

/** What is let through is an unknown VNFD. */
const LET_THROUGH = [404, 'vnfd.unknown'];

const asked = async (headers: Record<string, string>, api = system.api): Promise<[number, unknown]> => {
  const { status, data } = await api.post<JsonObject>(INSTANCES, JSON.stringify({ vnfdId: randomUUID() }), {
    headers: { 'Content-Type': 'text/plain', ...headers },
  });
  return [status, data.code];
};

describe('a request that a page in a browser sends', () => {
  it.each([
    ['of another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['of another site, by an old browser', { Origin: 'https://evil.example' }],
    ['of another site, without its name', { Origin: 'null' }],
    ['of a neighbour', { 'Sec-Fetch-Site': 'same-site' }],
    ['of another port of this machine', { Origin: 'http://127.0.0.1:1' }],
    [
      'of a name that was made to point here',
      { Host: 'evil.example', Origin: 'http://evil.example', 'Sec-Fetch-Site': 'same-origin' },
    ],
  ])('%s is refused, whoever its user is, and nothing is made', async (_, headers) => {
    for (const api of [system.api, behindProxy]) {
      expect(await asked(headers, api)).toEqual([403, 'request.cross-site']);
      expect(await asked({ ...headers, 'X-Auth-Token': 'wrong' }, api)).toEqual([403, 'request.cross-site']);
    }
    for (const method of ['PATCH', 'DELETE'])
      expect((await system.api.request({ method, url: `${INSTANCES}/x`, headers })).status).toBe(403);
  });

  it('of ours is answered as every other', async () => {
    expect(await asked({ Origin: own(), 'Sec-Fetch-Site': 'same-origin' })).toEqual(LET_THROUGH);
    expect(await asked({ 'Sec-Fetch-Site': 'none' })).toEqual(LET_THROUGH);
    expect(await asked({ Origin: PUBLIC, Host: 'vnfm.example', 'Sec-Fetch-Site': 'same-origin' }, behindProxy)).toEqual(
      LET_THROUGH,
    );
    expect(await asked({ Origin: published.url }, behindProxy)).toEqual(LET_THROUGH);
  });

  it('that changes nothing is answered, and no other site may read it', async () => {
    const { status, headers } = await system.api.get(INSTANCES, {
      headers: { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    });
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('is what browsers alone say of it: clients that say neither are answered', async () => {
    expect(await asked({})).toEqual(LET_THROUGH);
  });
});
