import { Secret } from '@windlass/foundation';
import { isIP } from 'node:net';
import { formsOf, RuleList, type Place } from './rule-list.js';

/** The HTTP proxy by which a deployment reaches hosts, and those that it reaches without. */
export class HttpProxy {
  readonly #url: URL;
  readonly #except: RuleList;

  /**
   * @param url `http://user:password@host:port`, or https; its user part is shown nowhere
   * @param except host names (`*.example.com` has those below), addresses, CIDRs: reached without it, as they are named
   * @throws RangeError for a text that is no such URL, or an entry that is none; the text itself is not in it
   */
  constructor(url: Secret, except: readonly string[] = []) {
    const text = url.reveal();
    if (!isProxyUrl(text)) throw new RangeError('the proxy must be an http or https URL of host and port');
    this.#url = new URL(text);
    this.#except = new RuleList(except);
  }

  get place(): Place {
    const { hostname, port } = this.#url;
    return { host: bare(hostname), port: port === '' ? (this.isSecure ? 443 : 80) : Number(port) };
  }

  /** Whether it is itself spoken to by TLS. */
  get isSecure(): boolean {
    return this.#url.protocol === 'https:';
  }

  /** What it may be called in a message. */
  get named(): string {
    return this.#url.origin;
  }

  /** What logs in at it; nothing without a user. */
  get headers(): Record<string, string> {
    const { username, password } = this.#url;
    if (username === '' && password === '') return {};
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return { 'Proxy-Authorization': `Basic ${Buffer.from(login).toString('base64')}` };
  }

  /** Whether a connection to this place goes by it. A name is compared as a name: what it resolves to is not asked. */
  serves({ host, port }: Place): boolean {
    return !(isIP(host) === 0 ? this.#except.hasHost(host, port) : this.#except.hasAny(formsOf(host), port));
  }
}

/** Whether a text can be the URL of a proxy. */
export function isProxyUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') return false;
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return false;
  try {
    return decodeURIComponent(url.username + url.password) !== '\0';
  } catch {
    return false;
  }
}

/** A host of a URL, an IPv6 address without its brackets. */
export const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');
