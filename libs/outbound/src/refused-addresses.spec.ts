import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultOutboundRules } from './address-rules.js';
import { OutboundClient } from './outbound-client.js';
import { testServer, type TestServer } from './testing/index.js';

const allowed = { ...defaultOutboundRules, allow: ['127.0.0.0/8'] };
const seconds10 = 10_000 as never;

let server: TestServer;
let connections = 0;
let trap: net.Server;
let trapPort: number;

beforeAll(async () => {
  server = await testServer(({ path }, response) => {
    if (path === '/elsewhere') response.writeHead(302, { location: `http://127.0.0.1:${trapPort}/` });
    response.end('here');
  });
  // Counts who connects at all.
  trap = net.createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  trap.listen(0, '127.0.0.1');
  await once(trap, 'listening');
  trapPort = (trap.address() as AddressInfo).port;
});
afterAll(async () => {
  await server.close();
  trap.close();
});

const get = (client: OutboundClient, url: string) => client.send({ method: 'GET', url });
const refused = { code: 'outbound.address-refused' };

describe('what is not permitted', () => {
  it('is not connected to, by whatever spelling of the address', async () => {
    const client = new OutboundClient();
    const spellings = ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '017700000001', 'localhost', '[::1]', '[::ffff:127.0.0.1]'];
    for (const host of [...spellings, '0.0.0.0', '[::]', '[::ffff:7f00:1]', '127.0.0.1.'])
      await expect(get(client, `http://${host}:${trapPort}/`), host).rejects.toMatchObject(refused);
    await expect(get(client, `https://127.0.0.1:${trapPort}/`)).rejects.toMatchObject(refused);
    for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://[fe80::1]/', 'http://[64:ff9b::7f00:1]/'])
      await expect(get(client, url), url).rejects.toMatchObject(refused);
    expect(connections).toBe(0);
  });

  it('is refused for what a name resolves to at the connection, not for what it resolved to before', async () => {
    const answers = [[{ address: '127.0.0.1', family: 4 }], [{ address: '127.0.0.2', family: 4 }]];
    const rules = { ...defaultOutboundRules, allow: ['127.0.0.1'] };
    const client = new OutboundClient({ rules, resolve: () => Promise.resolve(answers.shift() ?? []) });
    await expect(get(client, `http://rebound.example:${server.port}/`)).resolves.toMatchObject({ status: 200 });
    await expect(get(client, `http://rebound.example:${server.port}/`)).rejects.toMatchObject(refused);
    await expect(get(client, `http://rebound.example:${server.port}/`)).rejects.toMatchObject(refused);
  });

  it('is left out of what a name resolves to', async () => {
    const both = [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ];
    const client = new OutboundClient({ rules: allowed, resolve: () => Promise.resolve(both) });
    await expect(get(client, `http://both.example:${server.port}/`)).resolves.toMatchObject({ text: 'here' });
  });

  it('is known before a connection is tried', async () => {
    const at = (address: string) => new OutboundClient({ resolve: () => Promise.resolve([{ address, family: 4 }]) });
    await expect(at('127.0.0.1').check('http://a.example/')).rejects.toMatchObject(refused);
    await expect(at('10.0.0.1').check('http://a.example/')).resolves.toBeUndefined();
    for (const url of ['http://[::1]/', 'http://127.0.0.1/', 'http://[::ffff:7f00:1]/'])
      await expect(at('10.0.0.1').check(url), url).rejects.toMatchObject(refused);
    const unknown = new OutboundClient({ resolve: () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })) });
    await expect(unknown.check('http://nobody.example/')).rejects.toMatchObject({ code: 'outbound.unreachable' });
  });

  it('tells the caller nothing of what the name resolved to', async () => {
    const client = new OutboundClient({ resolve: () => Promise.resolve([{ address: '169.254.7.7', family: 4 }]) });
    const error = await get(client, 'http://inside.example/').catch((e: unknown) => e);
    expect(JSON.stringify(error) + String(error)).not.toContain('169.254');
  });

  it('takes no URL of another kind or with a user part', async () => {
    const client = new OutboundClient({ rules: allowed });
    for (const url of [
      'file:///etc/passwd',
      'data:text/plain,x',
      'ftp://h/',
      'nonsense',
      'unix:/x',
      `http://u:p@127.0.0.1:${server.port}/`,
    ])
      await expect(get(client, url), url).rejects.toMatchObject({ code: 'outbound.bad-url' });
  });

  it('follows no redirect, and a download none to another host or port of one that is refused', async () => {
    const client = new OutboundClient({ rules: allowed });
    await expect(get(client, `${server.url}/elsewhere`)).resolves.toMatchObject({ status: 302 });
    const limits = { maxBytes: 100, within: seconds10, idleWithin: seconds10 };
    const redirected = { code: 'outbound.redirected' };
    await expect(client.download({ url: `${server.url}/elsewhere`, ...limits })).rejects.toMatchObject(redirected);
    const named = new OutboundClient({ rules: allowed, resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) });
    const url = `http://named.example:${server.port}/elsewhere`;
    await expect(named.download({ url, ...limits, redirects: 3 })).rejects.toMatchObject(redirected);
    expect(connections).toBe(0);
  });

  it('uses no proxy of the environment', async () => {
    process.env.http_proxy = `http://127.0.0.1:${trapPort}`;
    try {
      await expect(get(new OutboundClient({ rules: allowed }), server.url)).resolves.toMatchObject({ text: 'here' });
    } finally {
      delete process.env.http_proxy;
    }
    expect(connections).toBe(0);
  });
});
