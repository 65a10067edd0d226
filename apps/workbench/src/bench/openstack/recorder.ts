import { InvariantError, TerminalError, type JsonObject } from '@windlass/foundation';
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { now } from '../operations.js';

/** One request that a client sent to OpenStack. Times are milliseconds since 1970. */
export interface RecordedRequest {
  /** Type of the service as the catalog has it: `orchestration`, `image`, ... */
  service: string;
  method: string;
  /** With its query, without the service's place. */
  path: string;
  status: number;
  /** When its head had come here. */
  at: number;
  /** When the last byte of the answer had gone back. */
  until: number;
  /** What Heat's answer says of the stack that was asked for. */
  stackStatus?: string;
  /** The body of a request for a new stack. */
  stackAsked?: string;
}

interface Place {
  service: string;
  origin: string;
  /** What is left of the path. */
  path: string;
}

/**
 * A way to an OpenStack over plain HTTP on which each request is noted: in the catalogs that come with tokens every service has its
 * place here (`/<service>/<host>/...`), so clients come this way by themselves. Costs a request about a millisecond.
 */
export class Recorder {
  readonly requests: RecordedRequest[] = [];
  readonly #known = new Set<string>();
  readonly #server: Server;

  private constructor(private readonly keystone: URL) {
    this.#server = createServer((incoming, outgoing) => {
      this.#pass(incoming, outgoing).catch(() => outgoing.destroy());
    });
    this.#known.add(`identity ${keystone.host}`);
  }

  /** @param authUrl Keystone's */
  static async start(authUrl: string): Promise<Recorder> {
    const keystone = new URL(authUrl);
    if (keystone.protocol !== 'http:')
      throw new TerminalError('bench.recorder', `requests can be recorded over plain http only, not to ${authUrl}`);
    const recorder = new Recorder(keystone);
    await new Promise<void>((resolve, reject) => {
      recorder.#server.once('error', reject);
      recorder.#server.listen(0, '127.0.0.1', resolve);
    });
    return recorder;
  }

  /** Keystone's, by this way. */
  get authUrl(): string {
    return `${this.#base}/identity/${this.keystone.host}${this.keystone.pathname}`;
  }

  get #base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Sends a request on, notes when it was answered. */
  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const at = now();
    const place = this.#placeOf(incoming.url ?? '');
    if (place === undefined) {
      outgoing.writeHead(404).end();
      return;
    }
    const { method = 'GET' } = incoming;
    const asksForStack = place.service === 'orchestration' && method === 'POST' && place.path.endsWith('/stacks');
    const parts: Buffer[] = [];
    if (asksForStack) incoming.on('data', (part: Buffer) => parts.push(part));
    const answer = await forward(incoming, place);
    const body = await bytesOf(answer);
    const sent = place.service === 'identity' && place.path.endsWith('/auth/tokens') ? this.#withOurPlaces(body) : body;
    const status = answer.statusCode ?? 502;
    const headers = { ...answer.headers, 'content-length': String(sent.length) };
    delete headers['transfer-encoding'];
    delete headers.connection;
    outgoing.writeHead(status, headers);
    outgoing.end(status === 204 || status === 304 ? undefined : sent, () => {
      const { service, path } = place;
      const stackStatus = service === 'orchestration' ? stackStatusIn(body) : undefined;
      this.requests.push({
        service,
        method,
        path,
        status,
        at,
        until: now(),
        ...(stackStatus === undefined ? {} : { stackStatus }),
        ...(asksForStack ? { stackAsked: Buffer.concat(parts).toString('utf8') } : {}),
      });
    });
  }

  /** Only places that a catalog named are passed on to. */
  #placeOf(url: string): Place | undefined {
    const [, service = '', host = '', path = ''] = /^\/([a-z0-9_-]+)\/([^/]+)(\/.*)?$/.exec(url) ?? [];
    return this.#known.has(`${service} ${host}`) ? { service, origin: `http://${host}`, path } : undefined;
  }

  #withOurPlaces(body: Buffer): Buffer {
    const answer = JSON.parse(body.toString('utf8')) as { token?: { catalog?: CatalogEntry[] } & JsonObject };
    for (const { type, endpoints } of answer.token?.catalog ?? []) {
      for (const endpoint of endpoints) {
        const { host, pathname } = new URL(endpoint.url);
        this.#known.add(`${type} ${host}`);
        endpoint.url = `${this.#base}/${type}/${host}${pathname.replace(/\/$/, '')}`;
      }
    }
    return Buffer.from(JSON.stringify(answer));
  }
}

interface CatalogEntry extends JsonObject {
  type: string;
  endpoints: ({ url: string } & JsonObject)[];
}

/** A connection a request: a kept one could have been closed by the other side, and the client would be told of it. */
function forward(incoming: IncomingMessage, { origin, path }: Place): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { host, ...headers } = incoming.headers;
    if (host === undefined) throw new InvariantError('a request without a host');
    const { method } = incoming;
    const outgoing = ask(`${origin}${path}`, { agent: false, headers: { ...headers, 'accept-encoding': 'identity' }, method });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    incoming.on('error', reject);
    incoming.pipe(outgoing);
  });
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Of an answer that shows one stack, or lists it: the bench has no other. */
function stackStatusIn(body: Buffer): string | undefined {
  if (!/"stacks?"/.test(body.subarray(0, 20).toString('latin1'))) return undefined;
  return /"stack_status": ?"([A-Z_]+)"/.exec(body.toString('utf8'))?.[1];
}
