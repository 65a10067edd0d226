import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { TerminalError } from '@windlass/foundation';
import type { Repository } from '../debian/repository.js';

/** Serves the lab's repositories on the bridge's address, and nothing else. */
export class RepositoryServer {
  private constructor(
    private readonly server: Server,
    private readonly files: Map<string, string>,
    /** Such as `http://10.77.3.1`, without a slash at its end. */
    readonly url: string,
  ) {}

  /** Listens on port 80, so that addresses in scripts stay plain; on any free port where the machine has a web server on every address. */
  static async start(address: string, repository: Repository): Promise<RepositoryServer> {
    const files = new Map(repository.files);
    const server = createServer((request, response) => {
      answer(request, response, files).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
    });
    const port = (await listen(server, address, 80)) ?? (await listen(server, address, 0));
    if (port === undefined)
      throw new TerminalError('lab.repository', `no port is free on ${address} for the lab's package repository`);
    return new RepositoryServer(server, files, port === 80 ? `http://${address}` : `http://${address}:${port}`);
  }

  /** Serves a further repository in a folder of its own, and returns its address. */
  serve(folder: string, repository: Repository): string {
    for (const [at, file] of repository.files) this.files.set(`/${folder}${at}`, file);
    return `${this.url}/${folder}`;
  }

  stop(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.close((error) => (error === undefined ? resolve() : reject(error)));
      this.server.closeAllConnections();
    });
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, files: ReadonlyMap<string, string>): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const file = files.get(servedPath(request.url ?? '/'));
  if (file === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('the lab has no such file\n');
    return;
  }
  const { size } = await stat(file);
  response.writeHead(200, { 'content-length': size, 'content-type': 'application/octet-stream' });
  if (request.method === 'HEAD') response.end();
  else await pipeline(createReadStream(file), response);
}

/** The path of a URL, decoded; apt asks a flat repository for `/./InRelease`. */
function servedPath(url: string): string {
  const raw = url.split('?', 1)[0] ?? '/';
  try {
    return decodeURIComponent(raw)
      .replaceAll('/./', '/')
      .replaceAll(/\/{2,}/g, '/');
  } catch {
    return raw;
  }
}

/** The port listened on, or undefined when it is taken. */
function listen(server: Server, address: string, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error));
    server.once('error', failed);
    server.listen(port, address, () => {
      server.off('error', failed);
      const bound = server.address();
      resolve(bound !== null && typeof bound === 'object' ? bound.port : port);
    });
  });
}
