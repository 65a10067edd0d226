import { connect } from 'node:net';
import { seconds, type JsonObject } from '@windlass/foundation';

/** A request in bytes on a socket, which no client library corrects. */
export interface RawRequest {
  method: string;
  /** The request's target, without blanks and line ends. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body?: Buffer;
  /** The number of the body's bytes after which this side closes the connection. */
  cutAfter?: number;
}

export interface RawAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** The limit for an answer, far above the slowest. */
const PATIENCE = seconds(30);

/** Sends the request on a new connection. @returns undefined where the connection ended without an answer, as may be after a cut */
export function rawRequest(port: number, request: RawRequest): Promise<RawAnswer | undefined> {
  const { body = Buffer.alloc(0), cutAfter } = request;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const end = (): void => {
      socket.destroy();
      resolve(answerIn(Buffer.concat(chunks)));
    };
    socket.setTimeout(PATIENCE, () => {
      socket.destroy();
      reject(new Error(`no whole answer to ${request.method} ${request.target} in ${PATIENCE} ms`));
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      // A stream of events does not end.
      if (/^content-type: text\/event-stream/im.test(headOf(Buffer.concat(chunks)))) end();
    });
    // A reset may follow the answer, where the server did not read the whole body.
    socket.on('error', end);
    socket.on('end', end);
    socket.write(headersOf(request, body.length));
    if (cutAfter === undefined) socket.write(body);
    else socket.end(body.subarray(0, cutAfter));
  });
}

function headersOf({ method, target, headers }: RawRequest, length: number): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n\0]/g, ' ')}`);
  const own = ['Host: 127.0.0.1', 'Connection: close', ...(length === 0 ? [] : [`Content-Length: ${length}`])];
  return Buffer.from(
    `${method} ${target.replaceAll(/[\r\n ]/g, '')} HTTP/1.1\r\n${[...own, ...lines].join('\r\n')}\r\n\r\n`,
    'latin1',
  );
}

const headOf = (bytes: Buffer): string => bytes.subarray(0, 16_384).toString('latin1').split('\r\n\r\n', 1)[0] ?? '';

/** The last answer in the bytes: a `100 Continue` may come before. */
function answerIn(bytes: Buffer): RawAnswer | undefined {
  const head = headOf(bytes);
  const [first = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  if (Number.isNaN(status)) return undefined;
  const rest = bytes.subarray(Buffer.byteLength(head, 'latin1') + 4);
  if (status === 100) return answerIn(rest);
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
  return { status, headers, text: (headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : rest).toString('utf8') };
}

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (lineEnd < 0 || Number.isNaN(size) || size === 0) break;
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

/** The JSON of an answer. */
export const jsonOf = ({ text }: RawAnswer): JsonObject => JSON.parse(text) as JsonObject;
