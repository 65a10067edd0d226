import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { seconds, waitUntil, millis } from '@windlass/foundation';

/**
 * Finds a free port of loopback below those of outgoing connections (32768 and up): the service that listens on the port is
 * killed again and again, and must find the port free each time.
 */
export const quietPort = (): Promise<number> =>
  waitUntil(
    async () => {
      const port = randomInt(20_000, 32_000);
      return (await isFree(port)) ? port : undefined;
    },
    { for: 'a free port', within: seconds(20), every: millis(1) },
  );

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
