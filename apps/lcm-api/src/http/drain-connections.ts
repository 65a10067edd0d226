import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Drains the connections of a server that stops. Node's `close()` waits for connections that are kept alive, and a client that asks again and again
 * would hold it up for ever.
 * @returns to be called when the stop begins: from then on, each connection ends with its present or next answer
 */
export function drainConnections(server: Server): () => void {
  let stopping = false;
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (stopping) response.shouldKeepAlive = false;
    response.once('finish', () => {
      if (stopping) request.socket.end();
    });
  });
  return () => {
    stopping = true;
  };
}
