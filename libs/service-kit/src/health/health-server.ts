import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { maskUrlUser, TerminalError } from '@windlass/foundation';
import type { HealthChecks } from './health-checks.js';
import { listeningAddress } from './listening-address.js';

export interface HealthServerOptions {
  service: string;
  version: string;
  /** An address, a name, or a network that this machine has an address in. */
  host: string;
  /** 0 takes any free one. */
  port: number;
  checks: HealthChecks;
  /** The text of `/metrics` and its content type. */
  metrics: () => Promise<{ text: string; type: string }>;
  /** Told of a request that failed. */
  onError: (error: unknown) => void;
}

/** Serves `/health/live`, `/health/ready` and `/metrics`, without a password: it listens on loopback unless told otherwise. */
export class HealthServer {
  private constructor(
    private readonly server: Server,
    /** `http://127.0.0.1:<port>`. */
    readonly url: string,
  ) {}

  /** @throws TerminalError `health.port-taken`, `health.cannot-listen` */
  static async start(asked: HealthServerOptions): Promise<HealthServer> {
    const host = listeningAddress(asked.host);
    if (host === undefined)
      throw new TerminalError(
        'health.cannot-listen',
        `HEALTH_HOST is the network ${asked.host}, and this machine has no address in it: name a network that it is connected to, or an address`,
      );
    const options = { ...asked, host };
    const server = createServer((request, response) => {
      answer(options, request, response).catch((error: unknown) => {
        options.onError(error);
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
    });
    // Slow or idle clients must not hold connections of a service.
    server.headersTimeout = 5_000;
    server.requestTimeout = 5_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(options, cause)));
      server.listen(options.port, options.host, resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : options.port;
    return new HealthServer(server, `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`);
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }
}

function cannotListen({ host, port }: HealthServerOptions, cause: NodeJS.ErrnoException): TerminalError {
  if (cause.code === 'EADDRINUSE')
    return new TerminalError('health.port-taken', `HEALTH_PORT ${port} on ${host} is in use`, { cause });
  return new TerminalError('health.cannot-listen', `health checks can't be served on ${host}:${port}: ${cause.message}`, {
    cause,
  });
}

async function answer(options: HealthServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { service, version, checks, metrics } = options;
  const path = (request.url ?? '').split('?')[0];
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    json(response, 405, { status: 405, detail: 'GET only' });
  } else if (path === '/health/live') {
    json(response, 200, { service, version, status: 'alive' });
  } else if (path === '/health/ready') {
    const readiness = await checks.look();
    const status = readiness.ready ? 'ready' : 'not ready';
    json(response, readiness.ready ? 200 : 503, { service, version, status, checks: readiness.checks });
  } else if (path === '/metrics') {
    const { text, type } = await metrics();
    response.writeHead(200, { 'content-type': type }).end(text);
  } else {
    json(response, 404, { status: 404, detail: 'there are /health/live, /health/ready and /metrics' });
  }
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(maskUrlUser(JSON.stringify(body)));
};
