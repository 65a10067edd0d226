import { request, Agent, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { seconds, type Duration, type JsonObject } from '@windlass/foundation';

export interface EtcdAccess {
  /** Such as `https://127.0.0.1:2379`; tried in order. */
  endpoints: readonly string[];
  /** PEM texts of the CA and of the client's certificate and key. */
  ca: string;
  cert: string;
  key: string;
}

/** etcd answered with an error of its own (gRPC code and text through its JSON gateway). */
export class EtcdError extends Error {
  constructor(
    readonly grpcCode: number,
    message: string,
  ) {
    super(message);
    this.name = 'EtcdError';
  }
}

export interface EtcdMember {
  /** Decimal. */
  ID: string;
  /** Empty until the member has started for the first time. */
  name?: string;
  peerURLs: string[];
  clientURLs?: string[];
  isLearner?: boolean;
}

/** etcd 3.4's v3 API through its JSON gateway (`POST /v3/...`), over mutual TLS. */
export class EtcdClient {
  readonly #agent: Agent;

  constructor(
    private readonly access: EtcdAccess,
    private readonly within: Duration = seconds(5),
  ) {
    this.#agent = new Agent({ keepAlive: true, ca: access.ca, cert: access.cert, key: access.key });
  }

  /** Calls one method, at the first endpoint that answers. @throws EtcdError what etcd refused; Error when no endpoint answers. */
  async call<T>(path: string, body: JsonObject): Promise<T> {
    let last: Error = new Error('no etcd endpoint is known');
    for (const endpoint of this.access.endpoints) {
      try {
        return (await this.#post(endpoint, path, body)) as T;
      } catch (error) {
        if (error instanceof EtcdError || !(error instanceof Error)) throw error;
        last = error;
      }
    }
    throw last;
  }

  /** Opens a stream at the first endpoint; `onMessage` gets each JSON message. Resolves when the headers are there. */
  async stream(
    path: string,
    body: JsonObject,
    on: { message(message: JsonObject): void; end(error: Error): void },
  ): Promise<{ close(): void }> {
    const [endpoint] = this.access.endpoints;
    if (endpoint === undefined) throw new Error('no etcd endpoint is known');
    return new Promise((resolve, reject) => {
      const sent = request(this.#options(endpoint, path), (answer) => {
        sent.setTimeout(0);
        readLines(answer, on);
        resolve({ close: () => sent.destroy() });
      });
      sent.setTimeout(this.within, () => sent.destroy(new Error(`etcd at ${endpoint} did not answer in time`)));
      sent.on('error', (error) => {
        reject(error);
        on.end(error);
      });
      sent.end(JSON.stringify(body));
    });
  }

  async members(): Promise<EtcdMember[]> {
    return (await this.call<{ members?: EtcdMember[] }>('/v3/cluster/member/list', {})).members ?? [];
  }

  close(): void {
    this.#agent.destroy();
  }

  #options(endpoint: string, path: string): RequestOptions {
    const { hostname, port } = new URL(endpoint);
    return { host: hostname, port, path, method: 'POST', agent: this.#agent, headers: { 'content-type': 'application/json' } };
  }

  #post(endpoint: string, path: string, body: JsonObject): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const sent = request(this.#options(endpoint, path), (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          try {
            resolve(parseAnswer(answer.statusCode ?? 0, Buffer.concat(chunks).toString('utf8')));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      });
      sent.setTimeout(this.within, () => sent.destroy(new Error(`etcd at ${endpoint} did not answer ${path} in time`)));
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }
}

function parseAnswer(status: number, text: string): unknown {
  const answer = JSON.parse(text) as { error?: string; message?: string; code?: number };
  if (status !== 200 || answer.error !== undefined) {
    throw new EtcdError(answer.code ?? 0, answer.message ?? answer.error ?? `HTTP status ${status}`);
  }
  return answer;
}

function readLines(answer: IncomingMessage, on: { message(message: JsonObject): void; end(error: Error): void }): void {
  let rest = '';
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') on.message(JSON.parse(line) as JsonObject);
  });
  answer.on('close', () => {
    on.end(new Error('etcd closed the stream'));
  });
}
