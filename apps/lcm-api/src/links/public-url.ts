import { InvariantError } from '@windlass/foundation';
import { nextPageLink } from '@windlass/sol003';
import type { Request } from 'express';

/** Addresses that are listened on and reached by no client, with what reaches them from this machine. */
const UNREACHABLE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * The URL at which clients find this API: the only source of links and `Location` headers. No header of a request counts (`Host`, `Forwarded`,
 * `X-Forwarded-Host`), nor an absolute URL in the request line: their sender could lead other clients elsewhere.
 */
export class PublicUrl {
  #url: string | undefined;

  /** @param configured as `asPublicUrl` of service-kit reads it; without one, where the API listens is it */
  constructor(configured: string | undefined) {
    this.#url = configured;
  }

  /**
   * Called when the port is known, before any request comes.
   * @returns whether the beginning of links is only a guess: the API listens on every address, and the configuration names none for clients
   */
  listensOn(host: string, port: number, scheme: 'http' | 'https' = 'http'): boolean {
    const guessed = this.#url === undefined && host in UNREACHABLE;
    this.#url ??= `${scheme}://${asAuthority(UNREACHABLE[host] ?? host)}:${port}`;
    return guessed;
  }

  /** Scheme, authority and path, without a slash at its end: `https://vnfm.example/nfv`. */
  get root(): string {
    if (this.#url === undefined) throw new InvariantError('a link was asked for before the API listened');
    return this.#url;
  }

  /** An absolute URL. @param path from the root of this service on: `/vnflcm/v1` */
  of(path: string): string {
    return `${this.root}${path}`;
  }

  /** A path as clients ask for it, with the one of the public URL before it. */
  pathOf(path: string): string {
    return `${new URL(this.root).pathname.replace(/\/$/, '')}${path}`;
  }

  /** The value of the `Link` header that leads from a list's page to the next: the path alone, with the parameters that were sent. */
  nextPage(request: Request, marker: string): string {
    return nextPageLink(this.pathOf(request.originalUrl.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')), marker);
  }
}

/** A host as it stands in a URL: IPv6 addresses in brackets. */
export const asAuthority = (host: string): string => (host.includes(':') ? `[${host}]` : host);
