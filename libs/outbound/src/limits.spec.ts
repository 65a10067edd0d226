import { millis, minutes } from '@windlass/foundation';
import { randomBytes } from 'node:crypto';
import net, { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultOutboundRules } from './address-rules.js';
import { OutboundClient } from './outbound-client.js';
import { testServer, type TestServer } from './testing/index.js';

const rules = { ...defaultOutboundRules, allow: ['127.0.0.0/8'] };
const content = randomBytes(300_000);
let server: TestServer;

beforeAll(async () => {
  server = await testServer(({ path }, response) => {
    if (path === '/silent') return;
    if (path === '/slow-body') {
      response.writeHead(200, { 'content-length': '100' }).write('x');
      return;
    }
    if (path === '/moved') response.writeHead(307, { location: '/content' });
    if (path === '/busy') response.writeHead(503);
    if (path === '/gone') response.writeHead(404);
    if (path === '/unannounced') {
      response.write(content.subarray(0, 10_000));
      response.end(content.subarray(10_000));
      return;
    }
    response.end(content);
  });
});
afterAll(() => server.close());

const limits = { maxBytes: 1_000_000, within: minutes(1), idleWithin: minutes(1) };

async function read(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

describe('an exchange', () => {
  it('ends when its time is up, before and after the head of the answer', async () => {
    const client = new OutboundClient({ rules, limits: { within: millis(100) } });
    for (const path of ['/silent', '/slow-body'])
      await expect(client.send({ method: 'GET', url: server.url + path })).rejects.toMatchObject({ code: 'outbound.timeout' });
  });

  it('ends with its caller’s reason', async () => {
    const control = new AbortController();
    const sent = new OutboundClient({ rules }).send({ method: 'GET', url: `${server.url}/silent`, signal: control.signal });
    control.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
  });

  it('takes no answer over its limit', async () => {
    const client = new OutboundClient({ rules, limits: { maxAnswerBytes: 200_000 } });
    for (const path of ['/content', '/unannounced'])
      await expect(client.send({ method: 'GET', url: server.url + path })).rejects.toMatchObject({
        code: 'outbound.answer-too-large',
      });
  });

  it('says that a connection was not up in time', async () => {
    // Takes TCP and never says a word of TLS.
    const mute = net.createServer(() => undefined).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const client = new OutboundClient({ rules, limits: { connectWithin: millis(100) } });
    const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}/`;
    await expect(client.send({ method: 'GET', url })).rejects.toMatchObject({ code: 'outbound.unreachable' });
    mute.close();
  });

  it('says that nobody listens, and that a name is not known', async () => {
    const gone = await testServer(() => undefined);
    await gone.close();
    const client = new OutboundClient({ rules });
    await expect(client.send({ method: 'GET', url: gone.url })).rejects.toMatchObject({ code: 'outbound.unreachable' });
    const unknown = new OutboundClient({ resolve: () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })) });
    await expect(unknown.send({ method: 'GET', url: 'http://nobody.example/' })).rejects.toMatchObject({
      code: 'outbound.unreachable',
    });
  });
});

describe('a download', () => {
  const client = new OutboundClient({ rules, limits: { within: millis(1) } });
  const download = (path: string, change: object = {}) => client.download({ url: server.url + path, ...limits, ...change });

  it('comes as it is, after a redirect on the same host where that is taken', async () => {
    const { size, body } = await download('/content');
    expect(size).toBe(content.length);
    expect((await read(body)).equals(content)).toBe(true);
    await expect(download('/moved')).rejects.toMatchObject({ code: 'outbound.redirected' });
    expect((await read((await download('/moved', { redirects: 1 })).body)).equals(content)).toBe(true);
  });

  it('ends at its limit of bytes, announced or not', async () => {
    await expect(download('/content', { maxBytes: 1_000 })).rejects.toMatchObject({ code: 'outbound.too-large' });
    const { body } = await download('/unannounced', { maxBytes: 100_000 });
    await expect(read(body)).rejects.toMatchObject({ code: 'outbound.too-large' });
  });

  it('ends when nothing comes any more, and when its whole time is up', async () => {
    const stalled = await download('/slow-body', { idleWithin: millis(100) });
    await expect(read(stalled.body)).rejects.toMatchObject({ code: 'outbound.stalled' });
    const late = await download('/slow-body', { within: millis(200) });
    await expect(read(late.body)).rejects.toMatchObject({ code: 'outbound.timeout' });
  });

  it('tells a server that fails from one that refuses', async () => {
    await expect(download('/busy')).rejects.toMatchObject({ code: 'outbound.server-error' });
    await expect(download('/gone')).rejects.toMatchObject({ code: 'outbound.refused' });
  });
});
