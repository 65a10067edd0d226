import type { Readable } from 'node:stream';
import type { Duration, Json } from '@windlass/foundation';
import type { AddressRules } from '@windlass/outbound';
import type { VimConnection } from './connection.js';
import { AnswerReader } from '../http/answer-reader.js';
import { HttpClient, type HttpAnswer, type HttpLimits } from '../http/http-client.js';
import { serviceError } from '../http/service-errors.js';
import { queryText, type Query } from '../http/url-path.js';
import { keystoneUrl } from './authentication.js';
import { endpointOf, type ServiceType } from './service-catalog.js';
import { TokenCache, type IssuedToken } from './token-cache.js';

/** What binds the requests of one step: see OpenStackSession.with. */
export interface Effects {
  /** Looks at the lease, and throws when it is lost. The last thing that happens before a request that changes something is sent. */
  fence?: () => void | Promise<void>;
  /** Ends requests in flight and waits. */
  signal?: AbortSignal;
}

export interface ServiceRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the service's root, made by urlPath: `/stacks/a/b`. */
  path: string;
  query?: Query;
  json?: Json;
  /** Bytes instead of JSON; made anew when the request has to be sent again with a new token. */
  content?: { type: string; bytes: () => Readable; length?: number };
  headers?: Record<string, string>;
  /** Statuses that are answers; every other one throws. */
  expect: readonly number[];
  within?: Duration;
  /** Ends this request, beside the session's. */
  signal?: AbortSignal;
}

/** An answer whose status was expected. */
export interface ServiceAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The body as a JSON object; throws TerminalError `openstack.unexpected-answer` when it is none (Heat answers some requests with HTML). */
  body(): AnswerReader;
}

export interface SessionOptions {
  limits?: HttpLimits;
  /** Where it may connect to, the catalog's URLs included. Without them anywhere: whoever runs this process names the VIM. */
  rules?: AddressRules;
  /** Monotonic milliseconds; for tests. */
  clock?: () => number;
}

interface Shared {
  readonly http: HttpClient;
  readonly tokens: TokenCache;
  readonly connection: VimConnection;
}

/**
 * One user's way into one OpenStack: token, catalog, connections. Make one per VIM connection and keep it; give each step
 * a view of its own through {@link with}. Errors are translated here, once; none of them carries a secret or a token.
 */
export class OpenStackSession {
  private constructor(
    private readonly shared: Shared,
    private readonly effects: Effects,
  ) {}

  /** Nothing is sent before the first request. */
  static open(connection: VimConnection, options: SessionOptions = {}): OpenStackSession {
    const http = new HttpClient(connection, options.limits, options.rules);
    const clock = options.clock ?? (() => HttpClient.monotonic());
    return new OpenStackSession({ http, tokens: new TokenCache(http, connection, clock), connection }, {});
  }

  /** The same session for one step: its fence and its signal bind every request made through the result. */
  with(effects: Effects): OpenStackSession {
    return new OpenStackSession(this.shared, effects);
  }

  get signal(): AbortSignal | undefined {
    return this.effects.signal;
  }

  /** Ends the connections of this session and of all its views. */
  close(): void {
    this.shared.http.close();
  }

  /** The token in use; asks Keystone when there is none yet. Throws as {@link request} does. */
  token(): Promise<IssuedToken> {
    return this.shared.tokens.get(this.effects.signal);
  }

  /**
   * Sends a request to a service of the catalog, or to Keystone itself. A token that is refused is renewed once.
   * @throws TransientError `openstack.unreachable` (not sent), `openstack.connection-lost` and `openstack.timeout` (perhaps carried out),
   *   `openstack.busy`, `openstack.server-error`, `heat.action-in-progress`
   * @throws TerminalError as serviceError and networkError say, and `openstack.no-endpoint`
   * @throws what the fence throws, and the reason of the signal
   */
  async request(service: ServiceType | 'identity', request: ServiceRequest): Promise<ServiceAnswer> {
    const token = await this.token();
    const first = await this.#send(service, request, token);
    if (first.status !== 401) return this.#accepted(service, request, first);
    this.shared.tokens.forget(token);
    return this.#accepted(service, request, await this.#send(service, request, await this.token()));
  }

  #url(service: ServiceType | 'identity', request: ServiceRequest, token: IssuedToken): string {
    const { connection } = this.shared;
    const root =
      service === 'identity'
        ? keystoneUrl(connection.authUrl)
        : endpointOf(token.catalog, service, { interface: connection.interface ?? 'public', region: connection.region });
    return `${root}${request.path}${queryText(request.query)}`;
  }

  async #send(service: ServiceType | 'identity', request: ServiceRequest, token: IssuedToken): Promise<Sent> {
    const { json, content } = request;
    const url = this.#url(service, request, token);
    const secrets = [...this.shared.tokens.secrets(), token.id];
    const headers = { ...headersOf(request), 'X-Auth-Token': token.id.reveal() };
    const body = content?.bytes ?? (json === undefined ? undefined : JSON.stringify(json));
    if (request.method !== 'GET') await this.effects.fence?.();
    const asked = { method: request.method, url, secrets };
    const signal = either(this.effects.signal, request.signal);
    const answer = await this.shared.http.send({
      ...asked,
      service,
      headers,
      ...(body === undefined ? {} : { body }),
      within: request.within,
      signal,
    });
    return { ...answer, asked };
  }

  #accepted(service: ServiceType | 'identity', request: ServiceRequest, sent: Sent): ServiceAnswer {
    if (!request.expect.includes(sent.status)) throw serviceError(SPOKEN[service], sent.asked, sent);
    const { status, headers, text, asked } = sent;
    return { status, headers, text, body: () => AnswerReader.parse(text, `${asked.method} ${request.path}`) };
  }
}

const either = (one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined =>
  one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other]);

type Sent = HttpAnswer & { asked: { method: string; url: string; secrets: Parameters<typeof serviceError>[1]['secrets'] } };

/** How the services are called in messages. */
const SPOKEN: Record<ServiceType | 'identity', string> = {
  identity: 'Keystone',
  orchestration: 'Heat',
  compute: 'Nova',
  network: 'Neutron',
  image: 'Glance',
  volume: 'Cinder',
};

function headersOf({ json, content, headers }: ServiceRequest): Record<string, string> {
  const type = content?.type ?? (json === undefined ? undefined : 'application/json');
  return {
    Accept: 'application/json',
    ...(type === undefined ? {} : { 'Content-Type': type }),
    ...(content?.length === undefined ? {} : { 'Content-Length': String(content.length) }),
    ...headers,
  };
}
