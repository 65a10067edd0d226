import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** How often another port is tried where another process takes one between our choice and the server's bind. */
const PORT_ATTEMPTS = 5;

const IN_USE = /address already in use/i;

class PortTaken extends Error {}

/** The error of a server that ended at its start, made of the server's output. */
export const endedWith = (server: string, said: string): Error =>
  IN_USE.test(said) ? new PortTaken(`${server} did not get its port: ${said}`) : new Error(`${server} ended: ${said}`);

/** Starts a server on a port, or on several ports, that were free a moment ago; on other ports where one is taken by then. */
export async function onFreePort<Port, Server>(
  choose: () => Promise<Port>,
  start: (port: Port) => Promise<Server>,
): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await choose());
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

/** A port of an address that was free a moment ago. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
