import http from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Place } from './rule-list.js';
import { refused, systemResolve, type ConnectionChecks } from './connection-checks.js';
import { PROXY_REFUSED } from './errors.js';
import { bare, type HttpProxy } from './http-proxy.js';

/**
 * What a proxy is asked to connect to: the address that was looked up here and is permitted, so that the proxy's own DNS gets around no rule.
 * A name that is not known here goes to it as a name where the rules name that very host (VIM_ONLY).
 * @throws the refusal of an address; the error of the look-up
 */
export async function placeThroughProxy(place: Place, { rules, resolve = systemResolve }: ConnectionChecks): Promise<Place> {
  const { host, port } = place;
  if (rules === undefined) return place;
  if (isIP(host) !== 0) {
    if (rules.permits(host, place)) return place;
    throw refused();
  }
  const found = await resolve(host).catch((error: unknown) => {
    if (rules.namesHost(place)) return undefined;
    throw error;
  });
  if (found === undefined) return place;
  const permitted = found.find(({ address }) => rules.permits(address, place));
  if (permitted === undefined) throw refused();
  return { host: permitted.address, port };
}

/** The transport that axios sends a request of plain HTTP to a proxy with: it is asked for the absolute URL, on a connection of its own. */
export interface ThroughProxy {
  readonly transport: {
    request(options: http.RequestOptions, answered: (answer: http.IncomingMessage) => void): http.ClientRequest;
  };
}

/**
 * How a request of plain HTTP goes through a proxy.
 * @throws as {@link placeThroughProxy}
 */
export async function plainThrough(proxy: HttpProxy, url: URL, checks: ConnectionChecks): Promise<ThroughProxy> {
  const to = await placeThroughProxy(placeOf(url), checks);
  return {
    transport: {
      request: (options, answered) =>
        askProxy(
          proxy,
          {
            ...options,
            path: `http://${authorityOf(to)}${url.pathname}${url.search}`,
            headers: { ...(options.headers as http.OutgoingHttpHeaders), Host: url.host },
            agent: false,
          },
          answered,
        ),
    },
  };
}

/** Where a URL leads. */
export const placeOf = ({ hostname, port, protocol }: URL): Place => ({
  host: bare(hostname),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
});

/** `host:port`, an IPv6 address in brackets. */
export const authorityOf = ({ host, port }: Place): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Sends a request to a proxy itself: CONNECT, or one for an absolute URL. */
export function askProxy(proxy: HttpProxy, options: http.RequestOptions, answered?: (answer: http.IncomingMessage) => void) {
  const { host, port } = proxy.place;
  const { headers, ...rest } = options;
  const asked = {
    ...rest,
    host,
    hostname: host,
    port,
    servername: undefined,
    headers: { ...(headers as http.OutgoingHttpHeaders | undefined), ...proxy.headers },
  };
  return proxy.isSecure
    ? https.request({ ...asked, servername: isIP(host) === 0 ? host : '' }, answered)
    : http.request(asked, answered);
}

/** A connection to the place through the proxy (CONNECT), or the error that it has no such. */
export function tunnel(proxy: HttpProxy, place: Place, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const authority = authorityOf(place);
    const request = askProxy(proxy, { method: 'CONNECT', path: authority, headers: { Host: authority }, agent: false, signal });
    request.once('connect', (answer, socket, head) => {
      if (answer.statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket as Socket);
        return;
      }
      socket.destroy();
      reject(proxyRefused(answer.statusCode ?? 0));
    });
    // A server that is no proxy answers as to any request.
    request.once('response', (answer) => {
      answer.destroy();
      reject(proxyRefused(answer.statusCode ?? 0));
    });
    request.once('error', reject);
    request.end();
  });
}

/** The proxy's own answer instead of a connection. */
export const proxyRefused = (status: number): Error & { status: number } =>
  Object.assign(new Error(`the proxy answered ${status}`), { code: PROXY_REFUSED, status });
