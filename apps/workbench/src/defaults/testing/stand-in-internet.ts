import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InternetOptions } from '../internet-client.js';

/** A host's answer to a path; undefined: 404; `never`: no answer. */
export type Answer = { status?: number; headers?: Record<string, string>; body?: string } | 'never' | undefined;
export type Host = (path: URL, request: IncomingMessage) => Answer;

const INDEX = 'application/vnd.oci.image.index.v1+json';
const manifest = (): Answer => ({ headers: { 'content-type': INDEX, 'docker-content-digest': `sha256:${'a'.repeat(64)}` } });

/** A registry that asks for a token, and gives every client an anonymous token for its repositories. */
export function tokenRegistry(host: string, tokens: string, has: (path: string) => boolean): Record<string, Host> {
  const [tokenHost = '', ...rest] = tokens.split('/');
  const own: Host = (url, request) => {
    const { headers } = request;
    if (url.pathname === `/${rest.join('/')}` && tokenHost === host) return given(url, request);
    const [, repository = ''] = /^\/v2\/(.+)\/manifests\//.exec(url.pathname) ?? [];
    const scope = `repository:${repository}:pull`;
    if (headers.authorization !== `Bearer ${tokenOf(scope)}`)
      return {
        status: 401,
        headers: { 'www-authenticate': `Bearer realm="https://${tokens}",service="${host}",scope="${scope}"` },
      };
    return has(url.pathname) ? manifest() : undefined;
  };
  const given: Host = ({ searchParams }) =>
    searchParams.get('service') === host
      ? { body: JSON.stringify({ token: tokenOf(searchParams.get('scope') ?? '') }) }
      : { status: 403 };
  return { [host]: own, [tokenHost]: tokenHost === host ? own : given } as Record<string, Host>;
}

const tokenOf = (scope: string): string => Buffer.from(scope).toString('base64');

/** A registry without tokens, like quay.io for public images. */
export const openRegistry = (host: string, has: (path: string) => boolean): Record<string, Host> => ({
  [host]: ({ pathname }) => (has(pathname) ? manifest() : undefined),
});

/** `registry.k8s.io`: it redirects every request to another host, which must not get the token. */
export const redirectingRegistry = (host: string, to: string, has: (path: string) => boolean): Record<string, Host> => ({
  [host]: ({ pathname }) => ({ status: 307, headers: { location: `https://${to}${pathname}` } }),
  [to]: ({ pathname }, { headers, method }) =>
    headers.authorization !== undefined || method !== 'HEAD' ? { status: 500 } : has(pathname) ? manifest() : undefined,
});

/** `pkgs.k8s.io`: it redirects to a CDN, which answers 403 for unknown paths. */
export const packages = (host: string, to: string, has: Readonly<Record<string, string>>): Record<string, Host> => ({
  [host]: ({ pathname }) => ({ status: 302, headers: { location: `https://${to}${pathname}` } }),
  [to]: ({ pathname }) => (has[pathname] === undefined ? { status: 403 } : { body: has[pathname] }),
});

export const SIGNED = '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nSuite: /\n';

/** Hosts of the internet behind one server on loopback, which records its requests. */
export class StandInInternet {
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly hosts: Record<string, Host>,
  ) {}

  static async start(hosts: Record<string, Host>): Promise<StandInInternet> {
    const server = createServer();
    const internet = new StandInInternet(server, hosts);
    server.on('request', (request, response) => internet.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return internet;
  }

  /** The options of a client that reaches these hosts; names of other hosts do not resolve. */
  get options(): InternetOptions {
    const { port } = this.server.address() as AddressInfo;
    return {
      rules: { allow: ['127.0.0.0/8'], deny: [], only: [], privateNetworks: true },
      resolve: (host) => Promise.reject(Object.assign(new Error(host), { code: 'ENOTFOUND' })),
      at: (text) => {
        const url = new URL(text);
        return this.hosts[url.host] === undefined ? text : `http://127.0.0.1:${port}/${url.host}${url.pathname}${url.search}`;
      },
    };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const [, host = '', path = ''] = /^\/([^/]+)(.*)$/.exec(request.url ?? '') ?? [];
    this.asked.push(`${request.method ?? ''} https://${host}${path}`);
    const answer = this.hosts[host]?.(new URL(path, `https://${host}`), request);
    if (answer === 'never') return;
    response.writeHead(answer?.status ?? (answer === undefined ? 404 : 200), answer?.headers ?? {});
    response.end(request.method === 'HEAD' ? undefined : (answer?.body ?? ''));
  }
}
