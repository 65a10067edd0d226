import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import type { Duration } from '@windlass/foundation';

/** A gRPC call that failed, with gRPC's own words: `rpc error: code = Unimplemented desc = ...`. */
export class GrpcError extends Error {
  constructor(
    readonly code: string,
    readonly description: string,
  ) {
    super(`rpc error: code = ${code} desc = ${description}`);
    this.name = 'GrpcError';
  }
}

const CODES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

/** A gRPC channel over a unix socket, kept open between calls and opened again when it broke. */
export class GrpcChannel {
  #session: ClientHttp2Session | undefined;

  constructor(private readonly socketPath: string) {}

  /** One unary call. @throws GrpcError */
  async call(method: string, message: Buffer, within: Duration): Promise<Buffer> {
    const session = await this.#open(within);
    return new Promise((resolve, reject) => {
      const stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: method,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      const chunks: Buffer[] = [];
      let status: unknown;
      let text: unknown = '';
      const note = (headers: Record<string, unknown>): void => {
        status = headers['grpc-status'] ?? status;
        text = headers['grpc-message'] ?? text;
      };
      const timer = setTimeout(() => {
        stream.close(constants.NGHTTP2_CANCEL);
        reject(new GrpcError('DeadlineExceeded', 'context deadline exceeded'));
      }, within);
      stream.on('response', note);
      stream.on('trailers', note);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', (error) => reject(new GrpcError('Unavailable', error instanceof Error ? error.message : String(error))));
      stream.on('close', () => {
        clearTimeout(timer);
        const code = CODES[Number(status ?? 14)] ?? 'Unknown';
        if (code === 'OK') resolve(Buffer.concat(chunks).subarray(5));
        else reject(new GrpcError(code, decodeURIComponent(String(text))));
      });
      const frame = Buffer.alloc(5);
      frame.writeUInt32BE(message.length, 1);
      stream.end(Buffer.concat([frame, message]));
    });
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  async #open(within: Duration): Promise<ClientHttp2Session> {
    if (this.#session !== undefined && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const unavailable = (why: string): GrpcError =>
      new GrpcError(
        'Unavailable',
        `connection error: desc = "transport: Error while dialing: dial unix ${this.socketPath}: ${why}"`,
      );
    const socket = connectSocket({ path: this.socketPath });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', (error: NodeJS.ErrnoException) => reject(unavailable(describe(error))));
      socket.setTimeout(within, () => reject(unavailable('i/o timeout')));
    });
    socket.setTimeout(0);
    const session = connectHttp2('http://localhost', { createConnection: () => socket });
    session.on('error', () => session.destroy());
    session.on('goaway', () => session.close());
    this.#session = session;
    return session;
  }
}

function describe({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'connect: no such file or directory';
  if (code === 'ECONNREFUSED') return 'connect: connection refused';
  return code === 'EACCES' ? 'connect: permission denied' : message;
}
