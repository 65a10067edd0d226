import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hours, millis, Secret, seconds } from '@windlass/foundation';
import { testCertificates, type TestCertificates } from '@windlass/embedded/testing';
import { testServer, tokenEndpoint, type SeenRequest, type TestServer } from '@windlass/outbound/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NfvoClient } from './nfvo-client.js';
import type { NfvoSettings } from './nfvo-config.js';

const folder = mkdtempSync(join(tmpdir(), 'windlass-nfvo-'));
let certificates: TestCertificates;
const open: { close(): Promise<void> }[] = [];

beforeAll(() => {
  certificates = testCertificates(folder, 'An authority of this test');
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const GRANT = {
  id: 'grant-1',
  vnfInstanceId: 'vnf-1',
  vnfLcmOpOccId: 'op-1',
  _links: {
    self: { href: 'http://nfvo.example/grant/v1/grants/grant-1' },
    vnfLcmOpOcc: { href: 'http://vnfm.example/vnflcm/v1/vnf_lcm_op_occs/op-1' },
    vnfInstance: { href: 'http://vnfm.example/vnflcm/v1/vnf_instances/vnf-1' },
  },
};

const says =
  (status: number, body: unknown = '', headers: Record<string, string> = {}) =>
  (_request: SeenRequest, response: ServerResponse): void =>
    void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

const started = async (...given: Parameters<typeof testServer>): Promise<TestServer> => {
  const server = await testServer(...given);
  open.push(server);
  return server;
};

const client = (url: string, more: Partial<NfvoSettings> = {}): NfvoClient =>
  new NfvoClient({
    url,
    publicUrl: 'http://vnfm.example',
    grantWithin: hours(1),
    askAgainEvery: seconds(5),
    ...more,
  });

const ask = (to: NfvoClient, again = false) => to.ask('{"a":1}', { again, signal: new AbortController().signal });

describe('an answer to a grant request', () => {
  it('of 201 is the grant, and the request is sent as it is', async () => {
    const nfvo = await started(says(201, GRANT));
    const answer = await ask(client(nfvo.url));
    expect('grant' in answer && JSON.parse(answer.grant)).toEqual(GRANT);
    expect(nfvo.seen).toMatchObject([
      { method: 'POST', path: '/grant/v1/grants', body: '{"a":1}', headers: { 'content-type': 'application/json' } },
    ]);
  });

  it('of 202 says where the grant will be, by a path or a whole URL', async () => {
    const nfvo = await started(says(202, '', { location: '/grant/v1/grants/7' }));
    expect(await ask(client(nfvo.url))).toEqual({ location: `${nfvo.url}/grant/v1/grants/7` });
  });

  it.each([
    ['no Location', {}],
    ['a Location of another origin', { location: 'http://elsewhere.example/grants/7' }],
    ['a Location that is no URL', { location: 'http://[' }],
  ])('of 202 with %s is none', async (_what, headers) => {
    const nfvo = await started(says(202, '', headers));
    await expect(ask(client(nfvo.url))).rejects.toMatchObject({ code: 'grant.bad-answer', status: 502, title: 'Grant failed' });
  });

  it('of 409 with a Location is where the grant is, if it may have been asked for before; else a refusal', async () => {
    const nfvo = await started(says(409, { detail: 'granted already' }, { location: '/grant/v1/grants/7' }));
    expect(await ask(client(nfvo.url), true)).toEqual({ location: `${nfvo.url}/grant/v1/grants/7` });
    await expect(ask(client(nfvo.url))).rejects.toMatchObject({ code: 'grant.refused', status: 409 });
  });

  it.each([400, 403, 404, 422])('of %i is a refusal, with what the NFVO says', async (status) => {
    const nfvo = await started(says(status, { title: 'No', detail: `not\nhere ${'x'.repeat(5_000)}` }));
    const refused = ask(client(nfvo.url));
    await expect(refused).rejects.toMatchObject({ code: 'grant.refused', status, title: 'Grant failed' });
    const { message } = (await refused.catch((error: unknown) => error as Error)) as Error;
    expect(message).toContain('No: not here');
    expect(message.length).toBeLessThan(1_200);
  });

  it.each([
    [503, '7', millis(7_000)],
    [429, '999999', millis(300_000)],
    [500, 'tomorrow', undefined],
  ])('of %i is asked again, Retry-After %s within bounds', async (status, after, retryAfter) => {
    const nfvo = await started(says(status, '', { 'retry-after': after }));
    await expect(ask(client(nfvo.url))).rejects.toMatchObject({ name: 'TransientError', code: 'grant.nfvo-busy', retryAfter });
  });

  it.each([
    ['HTML', '<html>'],
    ['a list', []],
    ['a grant without links', { ...GRANT, _links: undefined }],
    ['a grant with an id of 300 characters', { ...GRANT, id: 'x'.repeat(300) }],
    [
      'a grant of more resources than anybody has',
      { ...GRANT, addResources: Array.from({ length: 5_001 }, () => ({ resourceDefinitionId: 'a' })) },
    ],
    ['a link that is none', { ...GRANT, _links: { ...GRANT._links, self: { href: 'javascript:alert(1)' } } }],
  ])('of 201 with %s is none', async (_what, body) => {
    const nfvo = await started(says(201, body));
    await expect(ask(client(nfvo.url))).rejects.toMatchObject({ code: 'grant.bad-answer' });
  });

  it('that does not come is asked for again', async () => {
    const silent = await started(() => undefined);
    await expect(ask(client(silent.url, { answerWithin: millis(200) }))).rejects.toMatchObject({ code: 'outbound.timeout' });
    await silent.close();
    open.pop();
    await expect(ask(client(silent.url))).rejects.toMatchObject({ name: 'TransientError', code: 'outbound.unreachable' });
  });
});

describe('a grant that comes later', () => {
  it('is looked for where the NFVO said, and nowhere else', async () => {
    const answers = [says(202, '', { 'retry-after': '3' }), says(200, GRANT), says(403, { detail: 'no quota' })];
    const nfvo = await started((request, response) => answers.shift()?.(request, response));
    const { signal } = new AbortController();
    const at = `${nfvo.url}/grant/v1/grants/7`;
    expect(await client(nfvo.url).look(at, signal)).toEqual({ pause: seconds(3) });
    expect(await client(nfvo.url).look(at, signal)).toHaveProperty('grant');
    await expect(client(nfvo.url).look(at, signal)).rejects.toMatchObject({ code: 'grant.refused', status: 403 });
    await expect(client(nfvo.url).look('http://127.0.0.1:1/x', signal)).rejects.toMatchObject({ code: 'grant.bad-answer' });
    expect(nfvo.seen).toHaveLength(3);
  });
});

describe('who we are', () => {
  it('is shown by OAuth2 client credentials', async () => {
    const tokens = await tokenEndpoint({ id: 'windlass', password: 'pa:ss' });
    open.push(tokens);
    const nfvo = await started((request, response) => says(tokens.accepts(request) ? 201 : 401, GRANT)(request, response));
    const auth = {
      kind: 'oauth2',
      clientId: 'windlass',
      clientPassword: new Secret('pa:ss'),
      tokenEndpoint: tokens.url,
    } as const;
    expect(await ask(client(nfvo.url, { auth }))).toHaveProperty('grant');
    await expect(ask(client(nfvo.url))).rejects.toMatchObject({ code: 'grant.refused', status: 401 });
  });

  it('is shown by our certificate, and the NFVO by one of the authority that we were told of', async () => {
    const tls = { cert: certificates.read('server.pem'), key: certificates.read('server.key'), ca: certificates.read('ca.pem') };
    const nfvo = await started(says(201, GRANT), { tls: { ...tls, requestCert: true, rejectUnauthorized: true } });
    const own = { certFile: certificates.at('client.pem'), keyFile: certificates.at('client.key') };
    expect(await ask(client(nfvo.url, { tls: { caFile: certificates.at('ca.pem'), ...own } }))).toHaveProperty('grant');
    await expect(ask(client(nfvo.url, { tls: own }))).rejects.toMatchObject({ code: 'outbound.tls-untrusted' });
    await expect(ask(client(nfvo.url, { tls: { caFile: certificates.at('ca.pem') } }))).rejects.toThrow();
    expect(nfvo.seen).toHaveLength(1);
  });
});
