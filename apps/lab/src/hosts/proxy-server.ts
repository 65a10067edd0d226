import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { TerminalError } from '@windlass/foundation';
import { LOGIN_PAGE } from '../registry/login-page.js';
import { REGISTRY_HOSTS } from '../registry/served-images.js';

export interface ProxySetting {
  /** The bridge's address: where it listens, and whose servers it leads to. */
  address: string;
  port: number;
  /** Whether a VM's download is answered with a page of HTML, as by a network that wants a login first. */
  intercepts: (vm: string, path: string) => boolean;
}

export const PROXY_PORT = 3128;

/** A web proxy on the bridge, as sites have them. It leads to the lab's own servers and to nothing else; what a client logs in with is its own affair. */
export class ProxyServer {
  private constructor(
    private readonly server: Server,
    private readonly tunnels: Set<Duplex>,
  ) {}

  /** @throws TerminalError `lab.proxy` where something else of the machine has its port. */
  static async start(setting: ProxySetting): Promise<ProxyServer> {
    const tunnels = new Set<Duplex>();
    const server = createServer((request, response) => forward(request, response, setting));
    server.on('connect', (request: IncomingMessage, socket: Duplex) => tunnel(request, socket, setting.address, tunnels));
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) =>
        reject(
          new TerminalError(
            'lab.proxy',
            `the lab's web proxy can't listen on ${setting.address}:${setting.port} (${cause.message}): stop what listens on that port while the lab runs; ss -ltnp 'sport = :${setting.port}' names it`,
            { cause },
          ),
        ),
      );
      server.listen(setting.port, setting.address, resolve);
    });
    return new ProxyServer(server, tunnels);
  }

  stop(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.close((error) => (error === undefined ? resolve() : reject(error)));
      this.server.closeAllConnections();
      for (const socket of this.tunnels) socket.destroy();
    });
  }
}

function forward(request: IncomingMessage, response: ServerResponse, { address, intercepts }: ProxySetting): void {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
  if (url?.hostname !== address) {
    response.writeHead(403, { 'content-type': 'text/plain' }).end("the lab's proxy leads to the lab's own servers only\n");
    return;
  }
  if (intercepts(request.socket.remoteAddress ?? '', url.pathname)) {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': Buffer.byteLength(LOGIN_PAGE) }).end(LOGIN_PAGE);
    return;
  }
  const { method = 'GET', headers } = request;
  const onward = httpRequest({ host: url.hostname, port: url.port, path: url.pathname + url.search, method, headers });
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}

function tunnel(request: IncomingMessage, socket: Duplex, address: string, tunnels: Set<Duplex>): void {
  const [host = '', port = ''] = (request.url ?? '').split(':');
  if (!REGISTRY_HOSTS.includes(host) || port !== '443') {
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    return;
  }
  const onward = net.connect(443, address, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    onward.pipe(socket);
    socket.pipe(onward);
  });
  tunnels.add(socket);
  socket.on('close', () => {
    tunnels.delete(socket);
    onward.destroy();
  });
  // Either end may go without a word; the other goes with it.
  socket.on('error', () => onward.destroy());
  onward.on('error', () => socket.destroy());
}
