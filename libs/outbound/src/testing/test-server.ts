import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';

/** A received request with its body. */
export interface SeenRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  readonly message: IncomingMessage;
}

/** A real HTTP or HTTPS server on 127.0.0.1, at a free port. */
export interface TestServer {
  /** The URL without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** The requests in the order of their arrival. */
  readonly seen: readonly SeenRequest[];
  close(): Promise<void>;
}

/** Starts a server, whose requests `answer` answers. */
export async function testServer(
  answer: (request: SeenRequest, response: ServerResponse) => void | Promise<void>,
  options: { tls?: https.ServerOptions; port?: number; host?: string } = {},
): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    const parts: Buffer[] = [];
    message.on('data', (part: Buffer) => parts.push(part));
    message.on('end', () => {
      const { method = '', url: path = '', headers } = message;
      const request = { method, path, headers, body: Buffer.concat(parts).toString('utf8'), message };
      seen.push(request);
      void Promise.resolve(answer(request, response)).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    });
  };
  const server = options.tls === undefined ? http.createServer(listener) : https.createServer(options.tls, listener);
  const { host = '127.0.0.1' } = options;
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    port,
    seen,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
