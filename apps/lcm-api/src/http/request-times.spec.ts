import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { millis } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { defaultRequestTimes, setServerTimes } from './request-times.js';

describe('the server’s own times', () => {
  it('end no upload, however long it takes', async () => {
    const server = createServer({
      requestTimeout: millis(60),
      headersTimeout: millis(50),
      connectionsCheckingInterval: millis(20),
    });
    server.on('request', (request, response) => void request.resume().on('end', () => response.end('whole')));
    setServerTimes(server, defaultRequestTimes);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      socket.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n1');
      await pause(millis(200));
      socket.write('2');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200/);
      expect(server.keepAliveTimeout).toBeGreaterThan(60_000);
    } finally {
      socket.destroy();
      server.close();
    }
  });
});
