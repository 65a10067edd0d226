import axios, { type AxiosInstance, type AxiosRequestConfig } from 'axios';
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { describeDuration, observed, seconds, TimeLimit, TransientError, type Duration } from '@windlass/foundation';
import {
  checkedAgents,
  placeOf,
  plainThrough,
  proxyRefused,
  type AddressRules,
  type Agents,
  type HttpProxy,
} from '@windlass/outbound';
import { describeAsked, networkError, type Asked } from './network-errors.js';
import type { TlsOptions } from './tls-options.js';

export interface HttpLimits {
  /** TCP and TLS together. */
  connectWithin?: Duration;
  /** From sending to the last byte of the answer, for GET and HEAD. */
  readWithin?: Duration;
  /** The same for requests that change something. */
  writeWithin?: Duration;
  /** Bytes of an answer, after decompression. */
  maxAnswerBytes?: number;
}

const DEFAULTS: Required<HttpLimits> = {
  connectWithin: seconds(5),
  readWithin: seconds(30),
  // Heat's API waits 60 s (rpc_response_timeout) for its engine and then says so; giving up earlier would leave the outcome unknown.
  writeWithin: seconds(75),
  // A stack of a thousand resources lists in about 1 MiB.
  maxAnswerBytes: 32 * 1024 * 1024,
};

/** To one host of one VIM: more would only queue in its own workers. */
const MAX_SOCKETS = 32;

export interface HttpRequest extends Asked {
  /** Whose request it is, as the catalog names services; Keystone's unless said. For metrics and traces. */
  service?: string;
  headers: Record<string, string>;
  /** JSON text, or bytes that are made when they are needed. */
  body?: string | (() => Readable);
  /** Overrides the limits for this request. */
  within?: Duration | undefined;
  signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  text: string;
}

/**
 * HTTP to one VIM: an agent of its own, no proxy but the configured one, every request bounded in time and size,
 * no redirect followed. Any status is an answer; only the network throws (see networkError).
 */
export class HttpClient {
  readonly #axios: AxiosInstance;
  readonly #limits: Required<HttpLimits>;
  /** Kept-alive connections, for reading. */
  readonly #kept: Agents;
  /** A connection a request: what changes something must not meet one that the other side has just closed. */
  readonly #fresh: Agents;
  readonly #proxy: HttpProxy | undefined;
  readonly #rules: AddressRules | undefined;

  /** @param rules where it may connect to, whatever URL a request or the catalog names; without them anywhere */
  constructor(connection: { tls?: TlsOptions; proxy?: HttpProxy }, limits: HttpLimits = {}, rules?: AddressRules) {
    this.#limits = { ...DEFAULTS, ...limits };
    this.#proxy = connection.proxy ?? rules?.proxy;
    this.#rules = rules;
    const checks = { rules, connectWithin: this.#limits.connectWithin, proxy: this.#proxy };
    const options = {
      maxSockets: MAX_SOCKETS,
      rejectUnauthorized: connection.tls?.verify ?? true,
      ...(connection.tls?.ca === undefined ? {} : { ca: connection.tls.ca }),
      // Asked only of a certificate whose chain is good.
      ...(connection.tls?.verifyHostname === false ? { checkServerIdentity: () => undefined } : {}),
    };
    this.#kept = checkedAgents(checks, { ...options, keepAlive: true });
    this.#fresh = checkedAgents(checks, options);
    this.#axios = axios.create({
      adapter: 'http',
      proxy: false,
      maxRedirects: 0,
      maxContentLength: this.#limits.maxAnswerBytes,
      maxBodyLength: Number.POSITIVE_INFINITY,
      responseType: 'text',
      transformRequest: [(data: unknown) => data],
      transformResponse: [(data: unknown) => data],
      validateStatus: () => true,
    });
  }

  /** Ends the idle connections. Requests in flight end with an error. */
  close(): void {
    for (const { httpAgent, httpsAgent } of [this.#kept, this.#fresh]) {
      httpAgent.destroy();
      httpsAgent.destroy();
    }
  }

  /**
   * Sends once. A GET whose kept-alive connection turns out to be closed by the other side is sent a second time.
   * @throws TransientError `openstack.unreachable`, `openstack.connection-lost`, `openstack.timeout`
   * @throws TerminalError `openstack.tls-untrusted`, `openstack.tls-failed`, `openstack.answer-too-large`
   * @throws the reason of the signal, when it was aborted
   */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const { method, service = 'identity', url } = request;
    const { hostname, port, protocol } = new URL(url);
    const attributes = {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port),
      'windlass.vim.service': service,
    };
    return observed({ kind: 'vim', name: `${method} ${service}`, attributes }, async (say) => {
      const answer = await this.#send(request).catch((error: unknown) => {
        // Nobody waits for it any more, which says nothing of the VIM.
        if (request.signal?.aborted === true) say({ outcome: 'aborted' });
        throw error;
      });
      const { status } = answer;
      say({
        outcome: `${Math.floor(status / 100)}xx`,
        failed: status >= 500,
        attributes: { 'http.response.status_code': status },
      });
      return answer;
    });
  }

  async #send(request: HttpRequest): Promise<HttpAnswer> {
    const reading = request.method === 'GET' || request.method === 'HEAD';
    if (!reading) return this.#sendOnce(request, this.#fresh, this.#limits.writeWithin);
    try {
      return await this.#sendOnce(request, this.#kept, this.#limits.readWithin);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return this.#sendOnce(request, this.#fresh, this.#limits.readWithin);
    }
  }

  async #sendOnce(request: HttpRequest, agents: Agents, limit: Duration): Promise<HttpAnswer> {
    const within = request.within ?? limit;
    const watch = new TimeLimit(within, request.signal);
    const { body } = request;
    const via = this.#proxyOf(new URL(request.url))?.named;
    try {
      const response = await this.#axios.request<string>({
        method: request.method,
        url: request.url,
        headers: request.headers,
        ...(body === undefined ? {} : { data: typeof body === 'string' ? body : body() }),
        signal: watch.signal,
        ...agents,
        ...(await this.#viaProxy(request)),
      });
      if (response.status === 407 && via !== undefined) throw proxyRefused(407);
      return { status: response.status, headers: plainHeaders(response.headers), text: response.data };
    } catch (error) {
      request.signal?.throwIfAborted();
      if (watch.expired) {
        const lasted = describeDuration(within);
        throw new TransientError('openstack.timeout', `${describeAsked(request)} had no complete answer within ${lasted}`);
      }
      const known = networkError(error, { ...request, via });
      if (known.code === 'openstack.connection-lost' && wasReused(error)) throw new StaleConnection();
      throw known;
    } finally {
      watch.stop();
    }
  }

  #proxyOf(url: URL): HttpProxy | undefined {
    return this.#proxy?.serves(placeOf(url)) === true ? this.#proxy : undefined;
  }

  /** Plain HTTP asks the proxy for the absolute URL, on a connection of its own; TLS goes through a tunnel of the agent's. */
  async #viaProxy({ url: text }: HttpRequest): Promise<AxiosRequestConfig> {
    const url = new URL(text);
    const proxy = this.#proxyOf(url);
    if (proxy === undefined || url.protocol !== 'http:') return {};
    // axios has the option and its types of this release leave it out.
    return (await plainThrough(proxy, url, { rules: this.#rules })) as AxiosRequestConfig;
  }

  /** Milliseconds of a clock that only goes forward. */
  static monotonic(): number {
    return performance.now();
  }
}

/** The kept-alive connection had been closed by the time it was used. Never leaves this file. */
class StaleConnection extends Error {}

function wasReused(error: unknown): boolean {
  if (!axios.isAxiosError(error)) return false;
  const request: unknown = error.request;
  return typeof request === 'object' && request !== null && 'reusedSocket' in request && request.reusedSocket === true;
}

function plainHeaders(headers: object): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}
