import { TerminalError, type Duration } from '@windlass/foundation';
import { Agent, request as send, type IncomingMessage } from 'node:http';
import { percentile, rounded } from '../figures.js';

/** Where the REST API is, and who asks. */
export interface Asked {
  url: string;
  token: string;
}

/** One request of a load. */
export interface Asking {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  /** The status that it has to be answered with. */
  expected: number;
}

/** What a load measured; times are milliseconds. */
export interface LoadFigures {
  requests: number;
  perSecond: number;
  p50: number;
  p95: number;
}

/** An answer as the client sees it when its last byte has come. */
export interface Answered {
  status: number;
  body: Buffer;
}

/** Sends one request, and reads its whole answer. */
export function ask({ url, token }: Asked, agent: Agent, { method, path, body }: Asking): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = {
      'X-Auth-Token': token,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    };
    const request = send(`${url}${path}`, { agent, method, headers }, (response: IncomingMessage) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts) }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** As many requests as so many connections send for a while, each of them the next when it has its answer. */
export async function load(
  asked: Asked,
  { connections, lasting, next, signal }: { connections: number; lasting: Duration; next: () => Asking; signal: AbortSignal },
): Promise<LoadFigures> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const begun = performance.now();
  const connection = async (): Promise<void> => {
    while (performance.now() - begun < lasting) {
      signal.throwIfAborted();
      const asking = next();
      const sentAt = performance.now();
      const { status, body } = await ask(asked, agent, asking);
      times.push(performance.now() - sentAt);
      if (status !== asking.expected) throw unexpected(asking, status, body);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, connection));
    const elapsed = performance.now() - begun;
    return {
      requests: times.length,
      perSecond: rounded((times.length / elapsed) * 1_000),
      p50: rounded(percentile(times, 0.5)),
      p95: rounded(percentile(times, 0.95)),
    };
  } finally {
    agent.destroy();
  }
}

const unexpected = ({ method, path, expected }: Asking, status: number, body: Buffer): TerminalError =>
  new TerminalError(
    'bench.answer',
    `${method} ${path} was answered ${status}, not ${expected}: ${body.toString().slice(0, 300)}`,
  );
