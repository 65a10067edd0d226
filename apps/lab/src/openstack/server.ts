import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '@windlass/foundation';
import type { Faults } from './faults/faults.js';
import { HttpFailure, type Answer, type Call } from './http/answer.js';
import { isStreamed, parseJson, readText } from './http/body.js';
import type { Service } from './http/service.js';
import { requestId } from './state/ids.js';
import type { Session } from './state/session.js';

/** One request as it was served, for tests. */
export interface ServedRequest {
  /** Milliseconds since 1970. */
  at: number;
  service: string;
  method: string;
  /** Path with its query. */
  path: string;
  /** 0 where the client got no answer. */
  status: number;
  /** Milliseconds. */
  took: number;
  /** The id of the stack that it made, which its path does not name; the emulator does not tell it. */
  made?: string;
}

export interface HttpServerParts {
  services: Service[];
  faults: Faults;
  sessionOf(token: string | undefined): Session | undefined;
  /** Called after each request that may have changed something. */
  changed(): void;
  served(request: ServedRequest): void;
  /** Told of errors that are the emulator's own fault. */
  broken(error: unknown): void;
}

/** All services on one port; the path's first segment tells which. */
export class EmulatorServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #base = '';

  constructor(private readonly parts: HttpServerParts) {
    // Node ends requests after five minutes; an image may take longer, and OpenStack's services have no such limit.
    this.#server = createServer({ requestTimeout: 0 }, (request, response) => {
      this.serve(request, response).catch((error: unknown) => {
        parts.broken(error);
        response.destroy();
      });
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** Scheme, host and port, once it listens. */
  get base(): string {
    return this.#base;
  }

  async listen(host: string, port: number, reachedBy?: (port: number) => Promise<string>): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.removeListener('error', reject);
        resolve();
      });
    });
    const address = this.#server.address() as AddressInfo;
    this.#base = (await reachedBy?.(address.port)) ?? `http://${host}:${address.port}`;
    return address.port;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const at = Date.now();
    const [method, url] = [request.method ?? 'GET', request.url ?? '/'];
    const service = this.serviceOf(url);
    const status = await this.respond(request, response, service, method, url);
    this.parts.served({ at, service: service?.name ?? '', method, path: url, status, took: performance.now() - started });
    if (method !== 'GET' && method !== 'HEAD') this.parts.changed();
  }

  /** @returns the status that was sent, 0 for none. */
  private async respond(
    request: IncomingMessage,
    response: ServerResponse,
    service: Service | undefined,
    method: string,
    url: string,
  ): Promise<number> {
    if (service === undefined) {
      return this.send(response, { status: 404, body: { error: { code: 404, message: `no service at ${url}` } } }, {}, method);
    }
    const { faults } = this.parts;
    const headers = service.headers(requestId());
    const emptyType = service.emptyType;
    const hang = faults.onRequest('hang', method, url);
    if (hang !== undefined && !(await this.hang(request, response, hang.forMs))) return 0;
    const refused = faults.onRequest('status', method, url);
    if (refused !== undefined) {
      const failure = service.failure(refused.status, refused.message ?? 'The lab was asked to fail this request.');
      const retry = refused.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(refused.retryAfterSeconds) };
      return this.send(response, { status: failure.status, body: failure.body }, { ...headers, ...retry }, method);
    }
    const lost = faults.onRequest('lost-answer', method, url);
    const answer = await this.answer(request, service, method, url);
    if (lost !== undefined) {
      response.destroy();
      return 0;
    }
    return this.send(response, answer, headers, method, emptyType);
  }

  private serviceOf(url: string): Service | undefined {
    const { pathname } = new URL(url, 'http://emulator');
    return this.parts.services.find((one) => pathname === one.prefix || pathname.startsWith(`${one.prefix}/`));
  }

  private async answer(request: IncomingMessage, service: Service, method: string, url: string): Promise<Answer> {
    try {
      return await this.handle(request, service, method, url);
    } catch (error) {
      if (error instanceof HttpFailure) return { status: error.status, body: error.body, headers: error.headers };
      this.parts.broken(error);
      const failure = service.failure(500, error instanceof Error ? error.message : String(error));
      return { status: 500, body: failure.body };
    }
  }

  private async handle(request: IncomingMessage, service: Service, method: string, url: string): Promise<Answer> {
    const { pathname, searchParams } = new URL(url, this.#base);
    const path = pathname.slice(service.prefix.length);
    const token = request.headers['x-auth-token'];
    const session = this.parts.sessionOf(typeof token === 'string' ? token : undefined);
    if (session === undefined && !service.isOpen(method, path)) throw this.unauthorized(service);
    const match = service.router.match(method, path);
    if (match.kind === 'nothing') throw service.notFound();
    if (match.kind === 'method') throw service.wrongMethod();
    const call: Call = {
      method,
      path: pathname,
      params: match.params,
      query: searchParams,
      headers: request.headers,
      json: isStreamed(method, pathname) ? undefined : await this.json(request, service),
      raw: request,
      base: this.#base,
      session,
    };
    return await match.handler(call);
  }

  private unauthorized(service: Service): HttpFailure {
    const failure = service.unauthorized();
    failure.headers['Www-Authenticate'] = `Keystone uri="${this.#base}/identity"`;
    return failure;
  }

  private async json(request: IncomingMessage, service: Service): Promise<Json | undefined> {
    const text = await readText(request);
    try {
      return parseJson(text);
    } catch (error) {
      throw service.badJson(error instanceof Error ? error.message : String(error));
    }
  }

  /** Waits for the client to go or for the time to pass. @returns whether the request is to be served. */
  private async hang(request: IncomingMessage, response: ServerResponse, forMs: number | undefined): Promise<boolean> {
    const gone = new AbortController();
    request.on('close', () => {
      if (response.destroyed || request.destroyed) gone.abort();
    });
    response.on('close', () => gone.abort());
    const signal = gone.signal;
    const longest = 2 ** 31 - 1;
    return pause(forMs ?? longest, true, { signal }).catch(() => false);
  }

  private async send(
    response: ServerResponse,
    answer: Answer,
    headers: Record<string, string>,
    method: string,
    emptyType?: string,
  ): Promise<number> {
    const { body } = answer;
    const all: Record<string, string> = { ...headers, ...answer.headers };
    if (body instanceof Readable) {
      response.writeHead(answer.status, all);
      await pipeline(body, response).catch(() => undefined);
      return answer.status;
    }
    const bytes = bytesOf(answer);
    if (bytes.length > 0 || answer.status === 200) all['Content-Type'] ??= contentType(answer);
    else if (emptyType !== undefined && answer.contentType !== '') all['Content-Type'] ??= emptyType;
    all['Content-Length'] = String(bytes.length);
    response.writeHead(answer.status, all);
    response.end(method === 'HEAD' ? undefined : bytes);
    return answer.status;
  }
}

function bytesOf(answer: Answer): Buffer {
  const { body } = answer;
  if (body === undefined || body instanceof Readable) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

const contentType = (answer: Answer): string =>
  typeof answer.body === 'string' ? (answer.contentType ?? 'text/html; charset=UTF-8') : 'application/json';
