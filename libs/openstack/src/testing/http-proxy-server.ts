import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { Secret } from '@windlass/foundation';

/** A real HTTP proxy for CONNECT and absolute-form requests, with an optional login, and with a record of its requests. */
export class HttpProxyServer {
  /** The requests: `CONNECT 127.0.0.1:443`, `GET http://127.0.0.1:80/v3`. */
  readonly seen: string[] = [];
  /** The status with which the proxy answers instead of passing on. */
  answers: number | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: http.Server,
    private readonly login: string | undefined,
  ) {}

  static async start(login?: string): Promise<HttpProxyServer> {
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new HttpProxyServer(server, login);
    server.on('connection', (socket: Socket) => proxy.#sockets.add(socket));
    server.on('request', (request, response) => proxy.#forward(request, response));
    server.on('connect', (request, socket) => proxy.#connect(request, socket as Socket));
    return proxy;
  }

  /** @param login `user:password`; the proxy's own login by default */
  url(login = this.login): Secret {
    const { port } = this.server.address() as AddressInfo;
    return new Secret(`http://${login === undefined ? '' : `${login}@`}127.0.0.1:${port}`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** The status of a refusal; undefined where the proxy passes the request on. */
  #refusal({ headers }: http.IncomingMessage): number | undefined {
    const wanted = this.login === undefined ? undefined : `Basic ${Buffer.from(this.login).toString('base64')}`;
    return wanted !== undefined && headers['proxy-authorization'] !== wanted ? 407 : this.answers;
  }

  #forward(request: http.IncomingMessage, response: http.ServerResponse): void {
    this.seen.push(`${request.method} ${request.url}`);
    const refusal = this.#refusal(request);
    if (refusal !== undefined || !URL.canParse(request.url ?? '')) {
      response.writeHead(refusal ?? 400).end();
      return;
    }
    const { 'proxy-authorization': _mine, ...headers } = request.headers;
    const onward = http.request(request.url ?? '', { method: request.method ?? 'GET', headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  }

  #connect(request: http.IncomingMessage, socket: Socket): void {
    this.seen.push(`CONNECT ${request.url}`);
    const refusal = this.#refusal(request);
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = net.connect(Number(port || 80), hostname.replace(/^\[|\]$/g, ''), () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    this.#sockets.add(onward);
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  }
}
