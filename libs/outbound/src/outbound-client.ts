import { seconds, TerminalError, TimeLimit, type Duration, type Secret } from '@windlass/foundation';
import type { AxiosRequestConfig } from 'axios';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { AddressRules, defaultOutboundRules, type OutboundRules } from './address-rules.js';
import { checkedAgents, type Agents } from './checked-agents.js';
import { systemResolve, type Resolve } from './connection-checks.js';
import { downloadFrom, type Download, type DownloadRequest } from './download.js';
import { addressOf, known, networkError, refusedAddress, urlOf } from './errors.js';
import type { HttpProxy } from './http-proxy.js';
import type { OpenAnswer, OutboundAnswer, OutboundRequest } from './outbound-request.js';
import { placeOf, plainThrough, proxyRefused } from './proxied.js';
import { TlsReader, type TlsFiles, type TlsMaterial } from './tls-files.js';
import { Tokens } from './tokens.js';

/** How long and how much. */
export interface OutboundLimits {
  /** Name, TCP and TLS together. */
  readonly connectWithin: Duration;
  /** The exchange of {@link OutboundClient.send}; getting a token beforehand has as much again. */
  readonly within: Duration;
  /** Bytes of an answer to {@link OutboundClient.send}. */
  readonly maxAnswerBytes: number;
}

/** What holds where nobody says otherwise. */
export const defaultOutboundLimits: OutboundLimits = {
  connectWithin: seconds(5),
  within: seconds(10),
  // A grant for a VNF of a thousand resources is about 0.5 MiB.
  maxAnswerBytes: 4 * 1024 * 1024,
};

/** What a client is made of. */
export interface OutboundOptions {
  readonly rules?: OutboundRules;
  readonly limits?: Partial<OutboundLimits>;
  readonly tls?: TlsFiles;
  /** By which all goes that it serves; the rules hold all the same. */
  readonly proxy?: HttpProxy | undefined;
  /** For tests that need a DNS of their own; the machine's by default. */
  readonly resolve?: Resolve;
}

/**
 * HTTP to addresses that strangers name: callbacks, token endpoints, packages, NFVOs. Where it connects to is decided by {@link AddressRules}
 * for the address of each connection. No redirect is followed, no proxy but the given one used, no compression taken; TLS 1.2 at least.
 */
export class OutboundClient {
  readonly #rules: AddressRules;
  readonly #limits: OutboundLimits;
  readonly #resolve: Resolve;
  readonly #tls: TlsReader;
  readonly #tokens: Tokens;
  #agents: (Agents & { readonly material: TlsMaterial }) | undefined;

  /** @throws RangeError for a rule that is no address, CIDR or host name */
  constructor({ rules = defaultOutboundRules, limits = {}, tls = {}, proxy, resolve = systemResolve }: OutboundOptions = {}) {
    this.#rules = new AddressRules(rules, proxy);
    this.#limits = { ...defaultOutboundLimits, ...limits };
    this.#resolve = resolve;
    this.#tls = new TlsReader(tls);
    this.#tokens = new Tokens(async (url, form, authorization) =>
      this.send({
        method: 'POST',
        url,
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: form,
      }),
    );
  }

  /**
   * Sends, and reads the answer whole. A 401 to a token that was held is followed by a second try with a new one.
   * @throws TerminalError `outbound.bad-url`, `.address-refused`, `.tls-untrusted`, `.tls-failed`, `.answer-too-large`, `.token-refused`
   * @throws TransientError `outbound.unreachable`, `.connection-lost`, `.timeout`, `.token-unavailable`, `.tls-files`
   * @throws the reason of the signal, when it was aborted
   */
  async send(request: OutboundRequest): Promise<OutboundAnswer> {
    const limit = new TimeLimit(request.within ?? this.#limits.within, request.signal);
    const url = urlOf(request.url);
    try {
      const { body, ...answer } = await this.exchange(request, limit);
      return { ...answer, text: await textOf(body, this.#limits.maxAnswerBytes, url) };
    } catch (error) {
      throw known(error, url, limit, request);
    } finally {
      limit.stop();
    }
  }

  /**
   * Looks whether a connection there would be permitted now; each connection is looked at again.
   * @throws TerminalError `outbound.bad-url`, `outbound.address-refused`; TransientError `outbound.unreachable` for a name that is not known
   */
  async check(text: string): Promise<void> {
    const url = urlOf(text);
    const { host, port } = placeOf(url);
    const found =
      isIP(host) === 0
        ? await this.#resolve(host).catch((error: unknown) => {
            // The proxy looks it up.
            if (this.#proxyOf(url) !== undefined && this.#rules.namesHost({ host, port })) return undefined;
            throw networkError(error, url);
          })
        : [{ address: host }];
    if (found !== undefined && !found.some(({ address }) => this.#rules.permits(address, { host, port })))
      throw refusedAddress(url);
  }

  /**
   * Begins a download; its body comes as it is read, and reading it throws as this does.
   * @throws TerminalError `outbound.refused` for a status that is not 200, `outbound.redirected` for a redirect that is not followed,
   *   `outbound.too-large`, and those of {@link send}
   * @throws TransientError `outbound.server-error` for 429 and 5xx, `outbound.stalled`, `outbound.cut-short`, and those of {@link send}
   */
  download(request: DownloadRequest): Promise<Download> {
    return downloadFrom(this, request);
  }

  /** One exchange up to the head of the answer, within a limit that its caller holds and ends. For this library. */
  async exchange(request: OutboundRequest, limit: TimeLimit): Promise<OpenAnswer> {
    const { auth } = request;
    if (auth?.kind !== 'oauth2') return this.#once(request, limit, auth === undefined ? {} : basic(auth));
    const token = await this.#tokens.of(auth);
    const first = await this.#once(request, limit, bearer(token));
    if (first.status !== 401) return first;
    first.body.destroy();
    this.#tokens.forget(auth, token);
    return this.#once(request, limit, bearer(await this.#tokens.of(auth)));
  }

  async #once(request: OutboundRequest, limit: TimeLimit, authorization: Record<string, string>): Promise<OpenAnswer> {
    const url = urlOf(request.url);
    const { httpAgent, httpsAgent } = await this.#currentAgents();
    // Loaded with the first request: services that only hold addresses against rules send none.
    const { default: axios } = await import('axios');
    const response = await axios.request<Readable>({
      adapter: 'http',
      method: request.method,
      url: url.href,
      headers: { 'user-agent': 'windlass', 'accept-encoding': 'identity', ...request.headers, ...authorization },
      ...(request.body === undefined ? {} : { data: request.body }),
      transformRequest: [(data: unknown) => data],
      responseType: 'stream',
      decompress: false,
      proxy: false,
      maxRedirects: 0,
      maxBodyLength: Number.POSITIVE_INFINITY,
      validateStatus: () => true,
      signal: limit.signal,
      httpAgent,
      httpsAgent,
      ...(await this.#viaProxy(url)),
    });
    if (response.status === 407 && this.#proxyOf(url) !== undefined && url.protocol === 'http:') {
      response.data.destroy();
      throw proxyRefused(407);
    }
    const headers = Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
    return { status: response.status, headers: Object.fromEntries(headers) as Record<string, string>, body: response.data };
  }

  #proxyOf(url: URL): HttpProxy | undefined {
    const { proxy } = this.#rules;
    return proxy?.serves(placeOf(url)) === true ? proxy : undefined;
  }

  /** Of plain HTTP; TLS goes through a tunnel of the agent's. */
  async #viaProxy(url: URL): Promise<AxiosRequestConfig> {
    const proxy = url.protocol === 'http:' ? this.#proxyOf(url) : undefined;
    // axios has the option and its types of this release leave it out.
    return proxy === undefined ? {} : (plainThrough(proxy, url, this.#checks) as Promise<AxiosRequestConfig>);
  }

  get #checks() {
    return { rules: this.#rules, resolve: this.#resolve };
  }

  async #currentAgents(): Promise<Agents> {
    const material = await this.#tls.read();
    if (this.#agents?.material !== material) {
      const { ca, ...own } = material;
      const checks = { ...this.#checks, connectWithin: this.#limits.connectWithin, proxy: this.#rules.proxy };
      this.#agents = { ...checkedAgents(checks, { ...own, ...(ca === undefined ? {} : { ca: [...ca] }) }), material };
    }
    return this.#agents;
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const basic = ({ userName, password }: { userName: string; password: Secret }) => ({
  authorization: `Basic ${Buffer.from(`${userName}:${password.reveal()}`).toString('base64')}`,
});

async function textOf(body: Readable, atMost: number, url: URL): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length;
    // Leaving the loop destroys the stream.
    if (size > atMost)
      throw new TerminalError('outbound.answer-too-large', `${addressOf(url)} answered with more than ${atMost} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
