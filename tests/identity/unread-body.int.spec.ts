import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { startSystem, type System } from '../support/system.js';

let system: System;
let replica: Replica;

beforeAll(async () => {
  system = await startSystem();
  replica = await startReplica(system);
});
afterAll(async () => {
  await replica.stop();
  await system.close();
});

/** A client that says what it is told to, and keeps what it hears. */
class RawClient {
  heard = '';
  ended = false;

  private constructor(readonly socket: Socket) {
    socket.on('data', (data) => (this.heard += data.toString('latin1')));
    socket.on('error', () => (this.ended = true)).on('close', () => (this.ended = true));
  }

  static async connected(): Promise<RawClient> {
    const socket = connect(Number(new URL(replica.url).port), '127.0.0.1');
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  say(method: string, path: string, headers: readonly string[], body = ''): void {
    this.socket.write([`${method} ${path} HTTP/1.1`, 'Host: test', ...headers, '', body].join('\r\n'));
  }

  until(what: RegExp | 'the end'): Promise<true> {
    return waitUntil(
      (seen) => {
        seen(this.heard);
        return Promise.resolve(what === 'the end' ? this.ended || undefined : what.test(this.heard) || undefined);
      },
      { for: String(what), within: seconds(20), every: seconds(0.01) },
    );
  }
}

const JSON_BODY = ['Content-Type: application/json', 'Content-Length: 900000'];
const UPLOADS = ['Content-Type: application/zip', 'Transfer-Encoding: chunked'];

describe('the body of somebody unknown', () => {
  it.each([
    ['POST', '/vnflcm/v1/vnf_instances', JSON_BODY, ''],
    ['PUT', '/vnfpkgm/v1/vnf_packages/4f9ab27a-0d3c-4f57-9dd3-5ae2cdfb5a18/package_content', UPLOADS, '4\r\nPK\x03\x04\r\n'],
    ['POST', '/v1.0/vims', JSON_BODY, '{ "vim": {'],
  ])('is not waited for: %s %s is refused by its headers, and the connection ends', async (method, path, headers, begun) => {
    const client = await RawClient.connected();
    client.say(method, path, headers, begun);
    await client.until('the end');
    expect(client.heard).toMatch(/^HTTP\/1\.1 401 /);
    expect(client.heard).toMatch(/\r\nConnection: close\r\n/i);
  });

  it('is not looked at: what is no JSON is refused as anything else is', async () => {
    const client = await RawClient.connected();
    client.say('POST', '/vnflcm/v1/vnf_instances', ['Content-Type: application/json', 'Content-Length: 8'], '{{{{{{{{');
    await client.until(/\r\n\r\n\{/);
    expect(client.heard).toMatch(/^HTTP\/1\.1 401 /);
    client.socket.destroy();
  });

  it('that is small leaves the connection for the next request', async () => {
    const client = await RawClient.connected();
    client.say('POST', '/vnflcm/v1/vnf_instances', ['Content-Type: application/json', 'Content-Length: 2'], '{}');
    client.say('GET', '/vnflcm/v1/vnf_instances', [`X-Auth-Token: ${replica.token}`]);
    await client.until(/HTTP\/1\.1 200 /);
    client.socket.destroy();
  });
});

describe('a client that asks before it sends a body', () => {
  const expecting = ['Expect: 100-continue', 'Content-Type: application/json', 'Content-Length: 2'];

  it('is not told to go on when it is unknown', async () => {
    const client = await RawClient.connected();
    client.say('POST', '/vnfpkgm/v1/vnf_packages', expecting);
    await client.until('the end');
    expect(client.heard).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('is told to go on when it is known, once', async () => {
    const client = await RawClient.connected();
    client.say('POST', '/vnfpkgm/v1/vnf_packages', [...expecting, `X-Auth-Token: ${replica.token}`]);
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.socket.write('{}');
    await client.until(/HTTP\/1\.1 201 /);
    expect(client.heard.match(/100 Continue/g)).toHaveLength(1);
    client.socket.destroy();
  });
});
