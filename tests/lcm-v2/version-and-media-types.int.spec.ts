import { randomUUID } from 'node:crypto';
import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSystem, type System } from '../support/system.js';

const LIST = '/vnflcm/v2/vnf_instances';

let system: System;
let api: AxiosInstance;
beforeAll(async () => {
  system = await startSystem();
  api = axios.create({ ...system.api.defaults, headers: { 'X-Auth-Token': 'test-token', Version: '2.0.0' } });
});
afterAll(() => system.close());

const withVersion = (Version: string | undefined): Promise<AxiosResponse<unknown>> =>
  system.api.get(LIST, Version === undefined ? {} : { headers: { Version } });

describe('the Version of a request to v2', () => {
  it('has to be there, well-formed and offered', async () => {
    for (const [version, status, code] of [
      [undefined, 400, 'version.missing'],
      ['two', 400, 'version.malformed'],
      ['2.0', 400, 'version.malformed'],
      ['1.3.0', 406, 'version.unsupported'],
      ['2.0.0', 200, undefined],
      ['2.0.0-impl:example.org:7', 200, undefined],
    ] as const) {
      const answer = await withVersion(version);
      const { code: told } = answer.data as { code?: string };
      expect([version, answer.status, told]).toEqual([version, status, code]);
    }
  });

  it('does not matter where versions are listed, and both lists name v2', async () => {
    for (const headers of [{}, { Version: '9.9.9' }]) {
      const all = await system.api.get('/vnflcm/api_versions', { headers });
      expect(all.data).toEqual({
        uriPrefix: '/vnflcm',
        apiVersions: [
          { version: '1.3.0', isDeprecated: false },
          { version: '2.0.0', isDeprecated: false },
        ],
      });
      const { data } = await system.api.get<object>('/vnflcm/v2/api_versions', { headers });
      expect(data).toEqual({ uriPrefix: '/vnflcm/v2', apiVersions: [{ version: '2.0.0', isDeprecated: false }] });
    }
  });
});

describe('an answer of v2', () => {
  it('says Version and Accept-Ranges, whatever it is', async () => {
    const answers = [
      await api.get(LIST),
      await api.get(`${LIST}/${randomUUID()}`),
      await api.put(LIST),
      await api.get('/vnflcm/v2/nothing'),
      await api.get(LIST, { headers: { 'X-Auth-Token': 'wrong' } }),
      await api.post(LIST, 'x', { headers: { 'Content-Type': 'application/xml' } }),
      await withVersion(undefined),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 405, 404, 401, 415, 400]);
    for (const { headers } of answers) expect([headers.version, headers['accept-ranges']]).toEqual(['2.0.0', 'none']);
  });
});

describe('media types of v2', () => {
  const post = (type: string): Promise<AxiosResponse<unknown>> =>
    api.post(LIST, JSON.stringify({ vnfdId: 'nobody-has-it' }), { headers: { 'Content-Type': type } });
  const patch = (type: string): Promise<AxiosResponse<unknown>> =>
    api.patch(`${LIST}/${randomUUID()}`, '{}', { headers: { 'Content-Type': type } });

  it('of bodies are JSON as it is or as text, and a merge patch for PATCH alone', async () => {
    expect((await post('application/json')).status).toBe(422);
    expect((await post('text/plain')).status).toBe(422);
    for (const type of ['application/merge-patch+json', 'application/xml']) expect((await post(type)).status).toBe(415);
    for (const type of ['application/json', 'application/merge-patch+json']) expect((await patch(type)).status).toBe(404);
    expect((await patch('application/zip')).status).toBe(415);
  });

  it('that are accepted have to admit JSON', async () => {
    const accepting = async (Accept: string): Promise<number> => (await api.get(LIST, { headers: { Accept } })).status;
    for (const accept of ['application/json', '*/*', 'text/plain, application/*;q=0.5'])
      expect(await accepting(accept)).toBe(200);
    for (const accept of ['text/html', 'application/json;q=0']) expect(await accepting(accept)).toBe(406);
  });
});
