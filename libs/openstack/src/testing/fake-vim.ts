import { randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { Secret, type Json } from '@windlass/foundation';
import type { VimConnection } from '../session/connection.js';
import type { Recorded } from './recorded.js';
import { RECORDED_HEAT, recordedToken } from './recorded.js';

/** A request that the fake got. */
export interface SeenRequest {
  method: string;
  /** The path with its query. */
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
  /** The client's port, which tells connections apart. */
  remotePort: number | undefined;
}

/** An answer, or another end of a request. */
export type Reply =
  | { status: number; headers?: Record<string, string>; json?: Json; text?: string }
  | 'hang'
  | 'reset'
  | { status: number; trickle: string };

export type Handler = (request: SeenRequest) => Reply | Promise<Reply>;

export const PASSWORD = 'correct horse battery staple';

/**
 * A VIM whose answers a test defines. It records its requests, and serves Keystone by itself.
 * Paths are `/v3/...` (Keystone), `/heat/...`, `/nova/...`, `/neutron/...`, `/glance/...` and `/cinder/...`.
 */
export class FakeVim {
  readonly requests: SeenRequest[] = [];
  /** The issued tokens that are not revoked. */
  readonly tokens = new Set<string>();
  /** The lifetime of a token, in seconds. */
  tokenLife = 3_600;
  readonly #routes: { method: string; path: RegExp; handler: Handler }[] = [];

  private constructor(
    private readonly server: http.Server,
    readonly url: string,
  ) {}

  static async start(tls?: https.ServerOptions): Promise<FakeVim> {
    const server = tls === undefined ? http.createServer() : https.createServer(tls);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const vim = new FakeVim(server, `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`);
    server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
      void vim.#serve(request, response);
    });
    return vim;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  connection(change: Partial<VimConnection> = {}): VimConnection {
    return {
      authUrl: this.url,
      credentials: { kind: 'password', username: 'vnfm', password: new Secret(PASSWORD), project: 'vnfm' },
      ...change,
    };
  }

  /** Adds a handler of a path; the last handler added wins. */
  on(method: string, path: string | RegExp, handler: Handler | Reply): this {
    const pattern =
      typeof path === 'string' ? new RegExp(`^${path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(\\?|$)`) : path;
    this.#routes.unshift({ method, path: pattern, handler: typeof handler === 'function' ? handler : () => handler });
    return this;
  }

  /** Answers with a recording of the real Heat, with our address in the place of Heat's. */
  replay(recording: Recorded, path?: string): this {
    const at = new URL(recording.request.url);
    const where = path ?? `/heat${at.pathname.slice(new URL(RECORDED_HEAT).pathname.length)}`;
    const text = typeof recording.body === 'string' ? recording.body : JSON.stringify(recording.body);
    const headers = Object.fromEntries(
      Object.entries(recording.headers).filter(([name]) => !/^(content-length|date|connection)$/i.test(name)),
    );
    const ours = JSON.parse(JSON.stringify({ headers, text }).replaceAll(RECORDED_HEAT, `${this.url}/heat/v1/p`)) as {
      headers: Record<string, string>;
      text: string;
    };
    return this.on(recording.request.method, where.replace('/heat/', '/heat/v1/p/'), { status: recording.status, ...ours });
  }

  /** The requests to other services than Keystone. */
  get serviceRequests(): SeenRequest[] {
    return this.requests.filter((request) => !request.path.startsWith('/v3'));
  }

  get authentications(): SeenRequest[] {
    return this.requests.filter((request) => request.method === 'POST' && request.path === '/v3/auth/tokens');
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the client went away
    }
    const seen: SeenRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
      remotePort: request.socket.remotePort,
    };
    this.requests.push(seen);
    const reply = await this.#reply(seen);
    if (reply === 'hang') return;
    if (reply === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    if ('trickle' in reply) {
      response.writeHead(reply.status, { 'Content-Type': 'application/json' }).write(reply.trickle);
      return;
    }
    const text = reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json));
    response.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers }).end(text);
  }

  #reply(seen: SeenRequest): Reply | Promise<Reply> {
    const route = this.#routes.find(({ method, path }) => method === seen.method && path.test(seen.path));
    if (!seen.path.startsWith('/v3/auth/tokens')) {
      const token = seen.headers['x-auth-token'];
      if (typeof token !== 'string' || !this.tokens.has(token)) {
        return { status: 401, json: { error: { code: 401, title: 'Unauthorized', message: `no such token ${String(token)}` } } };
      }
    }
    if (route !== undefined) return route.handler(seen);
    if (seen.method === 'POST' && seen.path === '/v3/auth/tokens') return this.authenticate(seen);
    return { status: 404, json: { error: { code: 404, message: `the test has no ${seen.method} ${seen.path}` } } };
  }

  /** The answer of Keystone. */
  authenticate(seen: SeenRequest): Reply {
    if (!seen.body.includes(JSON.stringify(PASSWORD)) && seen.body.includes('"password"')) {
      return { status: 401, json: { error: { code: 401, title: 'Unauthorized', message: `bad password in ${seen.body}` } } };
    }
    const token = `gAAAA${randomBytes(60).toString('base64url')}`;
    this.tokens.add(token);
    const now = Date.now();
    return {
      status: 201,
      headers: { 'X-Subject-Token': token },
      json: {
        token: {
          ...recordedToken(),
          issued_at: new Date(now).toISOString(),
          expires_at: new Date(now + this.tokenLife * 1_000).toISOString(),
          catalog: this.#catalog(),
        },
      },
    };
  }

  #catalog(): Json {
    const services: Record<string, string> = {
      orchestration: '/heat/v1/p',
      compute: '/nova/v2.1',
      network: '/neutron',
      image: '/glance',
      volumev3: '/cinder/v3/p',
    };
    return Object.entries(services).map(([type, path]) => ({
      type,
      name: type,
      id: type,
      endpoints: ['public', 'internal'].flatMap((kind) =>
        ['RegionOne', 'RegionTwo'].map((region) => ({
          id: `${type}-${kind}-${region}`,
          interface: kind,
          region_id: region,
          region,
          // The second region has other URLs, so that its use by mistake is seen.
          url: region === 'RegionOne' ? `${this.url}${path}` : `${this.url}/elsewhere${path}`,
        })),
      ),
    }));
  }
}
