import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { smallestPackage, zipOf } from '@windlass/vnf-package/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSystem, type System } from '../support/system.js';
import { startReplica, type Replica } from './support/replicas.js';

const TIMES = { body: millis(300), silence: millis(600) };

let system: System;
let replica: Replica;

beforeAll(async () => {
  system = await startSystem();
  replica = await startReplica(system, { more: { times: TIMES } });
});

afterAll(async () => {
  await replica.stop();
  await system.close();
});

/** A connection that sends a request by hand; what comes back, and whether it was closed from there. */
class SlowClient {
  #heard = '';
  closed = false;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (data) => (this.#heard += data.toString('latin1')));
    socket.on('error', () => undefined); // a reset is a close
    socket.on('close', () => (this.closed = true));
  }

  static async sends(method: string, path: string, length: number, type: string): Promise<SlowClient> {
    const { hostname, port } = new URL(replica.url);
    const socket = connect(Number(port), hostname);
    await new Promise((resolve) => socket.once('connect', resolve));
    const client = new SlowClient(socket);
    const headers = [`Host: x`, `X-Auth-Token: ${replica.token}`, `Content-Type: ${type}`, `Content-Length: ${length}`];
    client.send(Buffer.from(`${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`));
    return client;
  }

  send(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.#heard)?.[1] ?? 0);
  }

  end(): void {
    this.socket.destroy();
  }

  until(what: string, holds: () => boolean): Promise<true> {
    return waitUntil(() => Promise.resolve(holds() ? true : undefined), { for: what, within: seconds(20), every: millis(10) });
  }
}

const newPackage = async (): Promise<string> => (await replica.api.post<{ id: string }>('/vnfpkgm/v1/vnf_packages', {})).data.id;

describe('a client that is slow', () => {
  it('uploads a package for longer than any other body may take, as long as something comes', async () => {
    const id = await newPackage();
    const zip = zipOf(smallestPackage());
    const client = await SlowClient.sends('PUT', `/vnfpkgm/v1/vnf_packages/${id}/package_content`, zip.length, 'application/zip');
    const size = Math.ceil(zip.length / 6);
    for (let at = 0; at < zip.length; at += size) {
      client.send(zip.subarray(at, at + size));
      await pause(TIMES.silence / 3); // 1.2 s in all
    }
    await client.until('the answer', () => client.status > 0);
    expect(client.status).toBe(202);
    client.end();
  });

  it('that says nothing in the midst of a package loses its connection, and the package is CREATED again, with the reason', async () => {
    const id = await newPackage();
    const client = await SlowClient.sends('PUT', `/vnfpkgm/v1/vnf_packages/${id}/package_content`, 1_000, 'application/zip');
    client.send(Buffer.alloc(10));
    await client.until('the end of the connection', () => client.closed);
    const shown = await waitUntil(
      async () => {
        const { data } = await replica.api.get<JsonObject>(`/vnfpkgm/v1/vnf_packages/${id}`);
        return data.onboardingState === 'CREATED' ? data : undefined;
      },
      { for: 'the package to be set back', within: seconds(20), every: millis(20) },
    );
    expect(shown.onboardingFailureDetails).toMatchObject({
      code: 'request.too-slow',
      detail: expect.stringContaining('600 ms') as string,
    });
  });

  it('that does not come to the end of another body is answered with 408, and loses its connection', async () => {
    const client = await SlowClient.sends('POST', '/vnflcm/v1/vnf_instances', 1_000, 'application/json');
    client.send(Buffer.from('{'));
    await client.until('the end of the connection', () => client.closed);
    expect(client.status).toBe(408);

    const refused = await SlowClient.sends('POST', '/vnflcm/v1/no_such_thing', 1_000, 'application/json');
    await refused.until('the end of the connection', () => refused.closed);
    expect(refused.status).toBe(404);
  });

  it('keeps its idle connection for longer than the minute of usual proxies', async () => {
    const { headers } = await replica.api.get('/vnflcm/v1/vnf_instances', { headers: { Connection: 'keep-alive' } });
    expect(Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1])).toBeGreaterThan(60);
  });
});
