import { millis } from '@windlass/foundation';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { load, type Asking } from './load.js';

const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

async function served(listener: RequestListener): Promise<{ url: string; token: string; connections: () => number }> {
  let connections = 0;
  const server = createServer(listener).on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'secret', connections: () => connections };
}

const list: Asking = { method: 'GET', path: '/list', expected: 200 };

describe('a load', () => {
  it('keeps to its connections, sends the token, and counts what was answered', async () => {
    let answered = 0;
    const api = await served((request, response) => {
      expect(request.headers['x-auth-token']).toBe('secret');
      answered += 1;
      response.end('[]');
    });
    const { signal } = new AbortController();
    const figures = await load(api, { connections: 3, lasting: millis(100), next: () => list, signal });
    expect(api.connections()).toBe(3);
    expect(figures.requests).toBe(answered);
    expect(figures.p95).toBeGreaterThanOrEqual(figures.p50);
  });

  it('ends with what was answered where that is not what was expected, so that no figure is of errors', async () => {
    const api = await served((_request, response) => response.writeHead(503).end('away'));
    const { signal } = new AbortController();
    await expect(load(api, { connections: 2, lasting: millis(1_000), next: () => list, signal })).rejects.toThrow(
      'GET /list was answered 503, not 200: away',
    );
  });

  it('ends when it is told to stop', async () => {
    const stop = new AbortController();
    const api = await served((_request, response) => {
      stop.abort();
      response.end('[]');
    });
    await expect(load(api, { connections: 1, lasting: millis(60_000), next: () => list, signal: stop.signal })).rejects.toThrow(
      'aborted',
    );
  });
});
