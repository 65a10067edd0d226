import type { ProblemDetails } from '@windlass/foundation';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Node's codes of what is no request that a handler could be asked about. */
const KNOWN: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are larger than 16 KiB in all, which is more than any request of this API needs'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'a chunk of the body has extensions of more than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the headers of the request were not whole in time'],
};

/**
 * Answers what is not HTTP with ProblemDetails, as all other errors, then ends the connection, because nobody knows where the next request begins.
 */
export function answerClientErrors(server: Server): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => void answering.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // An answer that has begun is not followed by another one, which would be taken for its rest.
    const begun = answering.get(socket);
    if (!socket.writable || error.code === 'ECONNRESET' || (begun?.headersSent === true && !begun.writableFinished)) {
      socket.destroy();
      return;
    }
    const [status, detail] = KNOWN[error.code ?? ''] ?? [400, 'what came is no request as HTTP/1.1 has it'];
    const title = STATUS_CODES[status] ?? '';
    const body = JSON.stringify({ status, title, detail, code: 'request.not-http' } satisfies ProblemDetails);
    socket.end(
      `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
}
