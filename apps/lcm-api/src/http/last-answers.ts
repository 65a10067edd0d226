import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Lets a server that stops come to its end: `close()` of Node's waits for connections that are kept alive, and a client that asks again on
 * its own would keep it up for ever.
 * @returns call it when the stop begins: from then on each connection ends with the answer that is under way or comes next
 */
export function lastAnswers(server: Server): () => void {
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
