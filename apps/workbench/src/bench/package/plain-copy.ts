import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TerminalError } from '@windlass/foundation';

/**
 * What moving bytes costs without Windlass: one PUT over loopback, written to a file as it comes, which is deleted again.
 * @param length of the bytes, in bytes
 * @returns milliseconds
 */
export async function plainCopy(bytes: Readable, length: number, folder: string): Promise<number> {
  const copy = join(folder, 'plain-copy');
  const server = createServer({ requestTimeout: 0 }, (incoming, response) => {
    pipeline(incoming, createWriteStream(copy)).then(
      () => response.writeHead(204).end(),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const began = performance.now();
  try {
    await put(server, bytes, length);
    return performance.now() - began;
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(copy, { force: true });
  }
}

async function put(server: Server, bytes: Readable, length: number): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const sending = request({ method: 'PUT', host: '127.0.0.1', port, headers: { 'Content-Length': length } });
  const answered = new Promise<number>((resolve, reject) => {
    sending.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sending.once('error', reject);
  });
  const [status] = await Promise.all([answered, pipeline(bytes, sending)]);
  if (status !== 204) throw new TerminalError('bench.failed', `the plain copy was answered with ${status}`);
}
