import { inspect } from 'node:util';
import { cpSync } from 'node:fs';
import { testCertificates, testFolder } from '@windlass/embedded/testing';
import { minutes, Secret } from '@windlass/foundation';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { defaultOutboundRules } from './address-rules.js';
import { OutboundClient } from './outbound-client.js';
import { testServer, tokenEndpoint, type TestServer } from './testing/index.js';

const rules = { ...defaultOutboundRules, allow: ['127.0.0.0/8'] };
const folder = testFolder();
const open: TestServer[] = [];
const started = <T extends TestServer>(server: T): T => {
  open.push(server);
  return server;
};
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));
afterAll(() => folder.remove());

const client = { id: 'windlass client+1', password: 'p&s%s w=rd/ä' };
const oauth2 = (tokenEndpoint: string, password = client.password) =>
  ({ kind: 'oauth2', clientId: client.id, clientPassword: new Secret(password), tokenEndpoint }) as const;

describe('authentication', () => {
  it('sends user and password of BASIC', async () => {
    const server = started(await testServer((_, response) => void response.end()));
    const auth = { kind: 'basic', userName: 'windlass', password: new Secret('s3cret:x') } as const;
    await new OutboundClient({ rules }).send({ method: 'GET', url: server.url, auth });
    expect(server.seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('windlass:s3cret:x').toString('base64')}`);
  });

  it('asks for one OAuth 2.0 token for many requests, and for another when it is refused', async () => {
    const tokens = started(await tokenEndpoint(client));
    const server = started(
      await testServer((request, response) => void response.writeHead(tokens.accepts(request) ? 204 : 401).end()),
    );
    const out = new OutboundClient({ rules });
    const send = () => out.send({ method: 'POST', url: server.url, body: '{}', auth: oauth2(tokens.url) });
    const statuses = await Promise.all([send(), send(), send()]);
    expect(statuses.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(tokens.given).toHaveLength(1);
    tokens.revokeAll();
    expect((await send()).status).toBe(204);
    expect(tokens.given).toHaveLength(2);
  });

  it('does not use a token that is about to expire', async () => {
    const tokens = started(await tokenEndpoint({ ...client, lives: 5 }));
    const server = started(await testServer((_, response) => void response.end()));
    const out = new OutboundClient({ rules });
    for (let n = 0; n < 2; n++) await out.send({ method: 'GET', url: server.url, auth: oauth2(tokens.url) });
    expect(tokens.given).toHaveLength(2);
  });

  it('says which endpoint refused the client, and answers a 401 that stays', async () => {
    const tokens = started(await tokenEndpoint(client));
    const server = started(await testServer((_, response) => void response.writeHead(401).end()));
    const out = new OutboundClient({ rules });
    const send = (auth: ReturnType<typeof oauth2>) => out.send({ method: 'GET', url: server.url, auth });
    await expect(send(oauth2(tokens.url, 'wrong'))).rejects.toMatchObject({ code: 'outbound.token-refused' });
    await expect(send(oauth2(`${server.url}/x`))).rejects.toMatchObject({ code: 'outbound.token-refused' });
    await expect(send(oauth2(tokens.url))).resolves.toMatchObject({ status: 401 });
  });

  it('checks the token endpoint’s address by the same rules', async () => {
    const tokens = started(await tokenEndpoint(client));
    const server = started(await testServer((_, response) => void response.end()));
    const out = new OutboundClient({
      rules: { ...rules, deny: ['token.example'] },
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    });
    const auth = oauth2(`http://token.example:${tokens.port}/`);
    await expect(out.send({ method: 'GET', url: server.url, auth })).rejects.toMatchObject({ code: 'outbound.address-refused' });
    expect(server.seen).toEqual([]);
  });

  it('shows our certificate, trusts our authority, and reads both again when they have changed', async () => {
    const first = testCertificates(`${folder.path}/first`, 'first');
    const second = testCertificates(`${folder.path}/second`, 'second');
    const serve = async (from: typeof first) =>
      started(
        await testServer(
          ({ message }, response) => void response.end((message.socket as TLSSocket).getPeerCertificate().issuer.CN),
          {
            tls: {
              cert: from.read('server.pem'),
              key: from.read('server.key'),
              ca: from.read('ca.pem'),
              requestCert: true,
              rejectUnauthorized: true,
            },
          },
        ),
      );
    const [one, two] = [await serve(first), await serve(second)];
    cpSync(`${folder.path}/first`, `${folder.path}/now`, { recursive: true });
    const at = (name: string) => `${folder.path}/now/${name}`;
    const out = new OutboundClient({
      rules,
      tls: { caFile: at('ca.pem'), certFile: at('client.pem'), keyFile: at('client.key') },
    });
    await expect(out.send({ method: 'GET', url: one.url })).resolves.toMatchObject({ text: 'first' });
    await expect(out.send({ method: 'GET', url: two.url })).rejects.toMatchObject({ code: 'outbound.tls-untrusted' });
    cpSync(`${folder.path}/second`, `${folder.path}/now`, { recursive: true });
    await expect(out.send({ method: 'GET', url: two.url })).resolves.toMatchObject({ text: 'second' });
    await expect(new OutboundClient({ rules }).send({ method: 'GET', url: two.url })).rejects.toMatchObject({
      code: 'outbound.tls-untrusted',
    });
    await expect(out.send({ method: 'GET', url: two.url.replace('https', 'http') })).rejects.toMatchObject({
      code: 'outbound.connection-lost',
    });
  });

  it('speaks no TLS before 1.2', async () => {
    const { read } = testCertificates(`${folder.path}/old`, 'old');
    const tls = {
      cert: read('server.pem'),
      key: read('server.key'),
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT:@SECLEVEL=0',
    } as const;
    const server = started(await testServer((_, response) => void response.end(), { tls }));
    const out = new OutboundClient({ rules, tls: { caFile: `${folder.path}/old/ca.pem` } });
    await expect(out.send({ method: 'GET', url: server.url })).rejects.toMatchObject({ code: 'outbound.tls-failed' });
  });

  it('gives a download’s credentials to the origin that they are for alone', async () => {
    const other = started(await testServer((_, response) => void response.end('x')));
    const server = started(await testServer((_, response) => void response.writeHead(302, { location: other.url }).end()));
    const auth = { kind: 'basic', userName: 'u', password: new Secret('p') } as const;
    const limits = { maxBytes: 10, within: minutes(1), idleWithin: minutes(1), redirects: 1 };
    const { body } = await new OutboundClient({ rules }).download({ url: server.url, auth, ...limits });
    for await (const part of body) expect(part.toString()).toBe('x');
    expect(server.seen[0]?.headers.authorization).toBeDefined();
    expect(other.seen[0]?.headers.authorization).toBeUndefined();
  });

  it('leaves no secret in any error', async () => {
    const secret = 'hunter2-hunter2';
    const echo = started(
      await testServer(({ headers, body }, response) => void response.writeHead(400).end(JSON.stringify([headers, body]))),
    );
    const cutting = started(await testServer((_, response) => void response.destroy()));
    const auths = [
      { kind: 'basic', userName: 'u', password: new Secret(secret) } as const,
      oauth2(echo.url, secret),
      oauth2(cutting.url, secret),
    ];
    const out = new OutboundClient({ rules });
    const spelt = [
      secret,
      Buffer.from(`u:${secret}`).toString('base64'),
      Buffer.from(`${client.id}:${secret}`).toString('base64'),
    ];
    for (const auth of auths) {
      const url = `${cutting.url}/path?token=${secret}#${secret}`;
      const error: unknown = await out.send({ method: 'POST', url, body: secret, auth }).catch((e: unknown) => e);
      const shown = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }) + String((error as Error).stack);
      for (const each of spelt) expect(shown).not.toContain(each);
    }
  });
});
