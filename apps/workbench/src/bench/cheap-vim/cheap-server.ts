import { isJsonObject } from '@windlass/foundation';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServedRequest } from '@windlass/lab';
import { Refusal, unknown, type Answer } from './answer.js';
import { CheapVim } from './cheap-vim.js';

/** No request of a bench has more: an image of the sample is 64 KiB. */
const MOST_BYTES = 64 * 2 ** 20;

/** A cheap VIM on a free port of loopback, that keeps what it was asked. */
export class CheapServer {
  readonly vim: CheapVim;
  readonly #server: Server;
  /** Since they were last taken. */
  #requests: ServedRequest[] = [];

  private constructor(takes: number) {
    this.vim = new CheapVim(() => `http://127.0.0.1:${this.port}`, takes);
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
    });
  }

  /** @param takes milliseconds that a stack takes to come, and to go */
  static async start(takes = 0): Promise<CheapServer> {
    const one = new CheapServer(takes);
    await new Promise<void>((resolve, reject) => {
      one.#server.once('error', reject);
      one.#server.listen(0, '127.0.0.1', resolve);
    });
    return one;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The Keystone v3 URL, as `OS_AUTH_URL` takes it. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/identity/v3`;
  }

  /** What was asked since this was last called, oldest first. */
  taken(): ServedRequest[] {
    const requests = this.#requests;
    this.#requests = [];
    return requests;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [at, begun] = [Date.now(), performance.now()];
    const { method = '', url: path = '' } = request;
    const body = await bytesOf(request);
    const [pathname = '', query] = path.split('?');
    const [service = '', ...words] = pathname.slice(1).split('/').map(decodeURIComponent);
    const answer = this.#answer(service, { method, words, query: new URLSearchParams(query), body }, request);
    const text = answer.json === undefined ? '' : JSON.stringify(answer.json);
    response.writeHead(answer.status, {
      ...(text === '' ? {} : { 'Content-Type': 'application/json' }),
      ...(answer.status === 204 ? {} : { 'Content-Length': String(Buffer.byteLength(text)) }),
      ...answer.headers,
    });
    response.end(text);
    const made = method === 'POST' ? stackIn(answer) : {};
    this.#requests.push({ at, service, method, path, status: answer.status, took: performance.now() - begun, ...made });
  }

  #answer(service: string, asked: Parameters<CheapVim['answer']>[1], { headers }: IncomingMessage): Answer {
    const token = headers['x-auth-token'];
    try {
      return this.vim.answer(service, asked, typeof token === 'string' ? token : undefined);
    } catch (error) {
      // A defect of our own is told as what is not known is: the operation fails at once.
      const { status, message, type } =
        error instanceof Refusal ? error : unknown(`what came of ${asked.method} ${asked.words.join('/')}: ${String(error)}`);
      return { status, json: { error: { code: status, title: 'Refused', message, ...(type === undefined ? {} : { type }) } } };
    }
  }
}

/** The stack whose id an answer tells. */
function stackIn({ json }: Answer): Pick<ServedRequest, 'made'> {
  const stack = isJsonObject(json) ? json.stack : undefined;
  return isJsonObject(stack) && typeof stack.id === 'string' ? { made: stack.id } : {};
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`a request of more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
