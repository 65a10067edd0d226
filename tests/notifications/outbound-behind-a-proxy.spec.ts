import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { millis } from '@windlass/foundation';
import { HttpProxyServer } from '@windlass/openstack/testing';
import { defaultOutboundRules, HttpProxy, OutboundClient, type OutboundOptions } from '@windlass/outbound';
import { testServer, type TestServer } from '@windlass/outbound/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const LOGIN = 'ann:hunter2-proxy';
const allowed = { ...defaultOutboundRules, allow: ['127.0.0.0/8'] };

let folder: string;
let plain: TestServer;
let secure: TestServer;
let proxy: HttpProxyServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-outbound-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'ca.pem')];
  const subject = ['-subj', '/CN=nfvo.example', '-addext', 'subjectAltName=DNS:nfvo.example', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  });
  const answer: Parameters<typeof testServer>[0] = ({ method, path, body }, response) => {
    response.end(`${method} ${path} ${body}`);
  };
  plain = await testServer(answer);
  secure = await testServer(answer, { tls: { key: readFileSync(key), cert: readFileSync(cert) } });
  proxy = await HttpProxyServer.start(LOGIN);
});
afterAll(async () => {
  for (const server of [proxy, secure, plain]) await server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  proxy.seen.length = 0;
  proxy.answers = undefined;
});

/** Whoever is asked for is on this machine by its DNS. */
const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
const client = (more: OutboundOptions = {}, except: string[] = [], login?: string): OutboundClient =>
  new OutboundClient({
    rules: allowed,
    resolve,
    tls: { caFile: join(folder, 'ca.pem') },
    proxy: new HttpProxy(proxy.url(login), except),
    ...more,
  });
const failureOf = (work: Promise<unknown>): Promise<Error & { code?: string }> =>
  work.then(
    () => new Error('it went well'),
    (error: unknown) => error as Error,
  );

describe('callbacks, packages and NFVOs behind a proxy', () => {
  it('are asked by http at the address that was found here, with their own host, and nothing goes past the proxy', async () => {
    const before = plain.seen.length;
    const url = `http://sub.example:${plain.port}/told?of=1`;
    await expect(client().send({ method: 'POST', url, body: 'a change' })).resolves.toMatchObject({
      status: 200,
      text: 'POST /told?of=1 a change',
    });
    expect(proxy.seen).toEqual([`POST http://127.0.0.1:${plain.port}/told?of=1`]);
    expect(plain.seen.slice(before).map(({ headers }) => headers['proxy-authorization'])).toEqual([undefined]);
  });

  it('are asked by https through a tunnel to that address, and their certificate is compared with the name', async () => {
    const good = `https://nfvo.example:${secure.port}/grants`;
    await expect(client().send({ method: 'GET', url: good })).resolves.toMatchObject({ status: 200 });
    expect(proxy.seen).toEqual([`CONNECT 127.0.0.1:${secure.port}`]);
    const other = await failureOf(client().send({ method: 'GET', url: `https://other.example:${secure.port}/` }));
    expect(other.code).toBe('outbound.tls-untrusted');
  });

  it('are downloaded through it, too', async () => {
    const limits = { maxBytes: 1_000, within: millis(20_000), idleWithin: millis(20_000) };
    const { body } = await client().download({ url: `http://pkg.example:${plain.port}/a.zip`, ...limits });
    const parts: Buffer[] = [];
    for await (const part of body) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('GET /a.zip ');
    expect(proxy.seen).toHaveLength(1);
  });

  it.each(['http', 'https'])('at an address that is refused are not asked for at the proxy, by %s', async (scheme) => {
    const strict = client({ rules: defaultOutboundRules });
    for (const host of ['127.0.0.1', 'metadata.example', '169.254.169.254']) {
      const url = `${scheme}://${host}:${plain.port}/`;
      expect((await failureOf(strict.send({ method: 'GET', url }))).code).toBe('outbound.address-refused');
      expect((await failureOf(strict.check(url))).code).toBe('outbound.address-refused');
    }
    expect(proxy.seen).toEqual([]);
  });

  it('whose name answers otherwise the second time gain nothing', async () => {
    const answers = ['127.0.0.1', '169.254.169.254'].map((address) => [{ address, family: 4 }]);
    const rebound = client({ resolve: () => Promise.resolve(answers.shift() ?? []) });
    const url = `http://rebound.example:${plain.port}/`;
    await rebound.check(url);
    expect((await failureOf(rebound.send({ method: 'GET', url }))).code).toBe('outbound.address-refused');
    expect(proxy.seen).toEqual([]);
  });

  it('whose name the proxy alone knows go to it by name only where OUTBOUND_ONLY names them', async () => {
    const unknown = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
    const url = `http://localhost:${plain.port}/`;
    const named = client({ resolve: unknown, rules: { ...allowed, only: ['localhost'] } });
    await named.check(url);
    await expect(named.send({ method: 'GET', url })).resolves.toMatchObject({ status: 200 });
    expect(proxy.seen).toEqual([`GET ${url}`]);
    for (const work of ['check', 'send'] as const) {
      const other = client({ resolve: unknown });
      const failed = work === 'check' ? other.check(url) : other.send({ method: 'GET', url });
      expect((await failureOf(failed)).code).toBe('outbound.unreachable');
    }
    expect(proxy.seen).toHaveLength(1);
  });

  it('that OUTBOUND_NO_PROXY names are reached without it', async () => {
    const url = `http://near.example:${plain.port}/`;
    await expect(client({}, ['near.example']).send({ method: 'GET', url })).resolves.toMatchObject({ status: 200 });
    expect(proxy.seen).toEqual([]);
  });

  it.each(['http', 'https'])(
    'are told as not reached where the proxy refuses, and its login is in no error, by %s',
    async (scheme) => {
      const url = `${scheme}://nfvo.example:${scheme === 'http' ? plain.port : secure.port}/`;
      const wrong = await failureOf(client({}, [], 'ann:wrong-secret').send({ method: 'GET', url }));
      expect(wrong).toMatchObject({ code: 'outbound.proxy-refused' });
      expect(wrong.message).toContain('OUTBOUND_PROXY');
      expect(inspect(wrong, { depth: 9 })).not.toMatch(/wrong-secret|hunter2|Basic /);
      expect(inspect(client(), { depth: 9 })).not.toContain('hunter2');
    },
  );

  it('that the proxy may not reach say so', async () => {
    proxy.answers = 403;
    const url = `https://nfvo.example:${secure.port}/`;
    const failed = await failureOf(client().send({ method: 'GET', url }));
    expect(failed).toMatchObject({ code: 'outbound.proxy-refused' });
    expect(failed.message).toContain('it answered 403');
  });
});
