import { createServer } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { TerminalError } from '@windlass/foundation';

/** Binds a port on 127.0.0.1 and lets it go again; 0 takes any. Undefined when the port is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}

/** A port on 127.0.0.1 that was free a moment ago. Another process may take it first: who listens must be ready to try again. */
export async function freePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === undefined) throw new TerminalError('embedded.no-port', 'no free TCP port on 127.0.0.1');
  return port;
}

/**
 * The port to listen on: the one asked for; or with 0 the one that this folder's server had the last time, so that clients find a restarted
 * server again; or any free one.
 * @throws TerminalError `embedded.port-taken` when the port asked for is in use
 */
export async function choosePort(wanted: number, memory: string): Promise<number> {
  if (wanted !== 0) {
    if ((await tryPort(wanted)) === undefined) {
      throw new TerminalError('embedded.port-taken', `port ${wanted} on 127.0.0.1 is in use; free it or choose another`);
    }
    return wanted;
  }
  const last = rememberedPort(memory);
  if (last !== undefined && (await tryPort(last)) !== undefined) return last;
  return freePort();
}

/** Written only when it is another one: on a full disk a server shall start on the port it had. */
export function rememberPort(memory: string, port: number): void {
  if (rememberedPort(memory) !== port) writeFileSync(memory, `${port}\n`);
}

function rememberedPort(memory: string): number | undefined {
  try {
    const port = Number(readFileSync(memory, 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch {
    return undefined; // the first start
  }
}
