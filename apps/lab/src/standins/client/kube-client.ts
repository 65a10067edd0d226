import { request, Agent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import { seconds, type Duration, type JsonObject } from '@windlass/foundation';
import { asJson, type KubeObject } from '../kube/object.js';
import { resourcePath, type ResourceType } from '../kube/resources.js';
import { isNotFound, StatusError } from '../kube/status-error.js';
import type { Access } from './kubeconfig.js';

/** No answer from the API server: refused, unreachable, late, or its certificate is not good. */
export class Unreachable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unreachable';
  }
}

export interface Place {
  namespace?: string;
  name?: string;
  subresource?: string;
}

export interface ObjectList<T extends KubeObject> {
  items: T[];
  resourceVersion: string;
}

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: KubeObject;
}

interface Sent {
  method: string;
  path: string;
  body?: unknown;
  contentType?: string;
}

/** The server sends a bookmark every 10 s to who wants them; silence for this long means that the connection is dead. */
const WATCH_SILENCE = seconds(30);

/** Between two attempts of a patient client. */
const POLLS_EVERY = seconds(0.5);

/** A client of the Kubernetes API for the stand-ins themselves. Errors of the API are StatusErrors. */
export class KubeClient {
  readonly #agent: Agent;
  readonly #base: URL;

  constructor(
    private readonly access: Access,
    private readonly within: Duration = seconds(10),
    /** How long a request is repeated that nobody answers (kubeadm: cmd/kubeadm/app/util/apiclient/idempotency.go). */
    private readonly patience: Duration = seconds(0),
  ) {
    this.#base = new URL(access.server);
    this.#agent = new Agent({
      keepAlive: true,
      rejectUnauthorized: access.insecure !== true,
      ...(access.ca === undefined ? {} : { ca: access.ca }),
      ...(access.cert === undefined ? {} : { cert: access.cert }),
      ...(access.key === undefined ? {} : { key: access.key }),
    });
  }

  get server(): string {
    return this.access.server;
  }

  async get<T extends KubeObject>(type: ResourceType, place: Place): Promise<T> {
    return (await this.call({ method: 'GET', path: resourcePath(type, place) })) as T;
  }

  /** The object, or undefined when there is none of that name. */
  async find<T extends KubeObject>(type: ResourceType, place: Place): Promise<T | undefined> {
    try {
      return await this.get<T>(type, place);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list<T extends KubeObject>(type: ResourceType, place: Place = {}, query = ''): Promise<ObjectList<T>> {
    const path = `${resourcePath(type, place)}${query === '' ? '' : `?${query}`}`;
    const list = (await this.call({ method: 'GET', path })) as { items: T[]; metadata: { resourceVersion: string } };
    return { items: list.items, resourceVersion: list.metadata.resourceVersion };
  }

  async create<T extends KubeObject>(type: ResourceType, object: T, subresource?: string): Promise<T> {
    const { namespace, name } = object.metadata;
    const place: Place = {
      ...(type.namespaced && namespace !== undefined ? { namespace } : {}),
      ...(subresource === undefined ? {} : { name, subresource }),
    };
    return (await this.call({ method: 'POST', path: resourcePath(type, place), body: object })) as T;
  }

  async update<T extends KubeObject>(type: ResourceType, object: T, subresource?: string): Promise<T> {
    return (await this.call({ method: 'PUT', path: this.#pathOf(type, object, subresource), body: object })) as T;
  }

  /** RFC 7396 merge patch. */
  async patch<T extends KubeObject>(type: ResourceType, place: Place, patch: JsonObject): Promise<T> {
    const sent = { method: 'PATCH', path: resourcePath(type, place), body: patch, contentType: 'application/merge-patch+json' };
    return (await this.call(sent)) as T;
  }

  /** Creates, or replaces what has that name. */
  async apply<T extends KubeObject>(type: ResourceType, object: T): Promise<T> {
    try {
      return await this.create(type, object);
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error;
      return this.update(type, object);
    }
  }

  /** Deletes; nothing happens when it is not there. */
  async delete(type: ResourceType, place: Place, gracePeriodSeconds?: number): Promise<void> {
    const body = gracePeriodSeconds === undefined ? undefined : { gracePeriodSeconds };
    try {
      await this.call({ method: 'DELETE', path: resourcePath(type, place), body });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** One request. @throws StatusError what the API refused; Unreachable when nobody answered */
  async call(sent: Sent): Promise<unknown> {
    const until = performance.now() + this.patience;
    for (;;) {
      try {
        return await this.#ask(sent);
      } catch (error) {
        if (!(error instanceof Unreachable) || performance.now() >= until) throw error;
        await pause(POLLS_EVERY);
      }
    }
  }

  async #ask(sent: Sent): Promise<unknown> {
    const answer = await this.#send(sent, this.within);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch (error) {
      throw this.#unreachable(error);
    }
    return parse(answer, Buffer.concat(chunks).toString('utf8'));
  }

  /**
   * Follows changes after a resource version. Resolves when the stream has ended, however it ended.
   * @throws StatusError when the server refuses the watch (410: list again)
   */
  async watch(path: string, onEvent: (event: WatchEvent) => void, signal: AbortSignal): Promise<void> {
    const answer = await this.#send({ method: 'GET', path }, WATCH_SILENCE, signal);
    if (answer.statusCode !== 200) {
      const chunks: Buffer[] = [];
      for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
      parse(answer, Buffer.concat(chunks).toString('utf8'));
      return;
    }
    answer.setEncoding('utf8');
    let rest = '';
    try {
      for await (const chunk of answer as AsyncIterable<string>) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') onEvent(JSON.parse(line) as WatchEvent);
      }
    } catch (error) {
      if (!signal.aborted) throw this.#unreachable(error);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #pathOf(type: ResourceType, object: KubeObject, subresource: string | undefined): string {
    const { namespace, name } = asJson(object).metadata as { namespace?: string; name: string };
    return resourcePath(type, {
      ...(type.namespaced && namespace !== undefined ? { namespace } : {}),
      name,
      ...(subresource === undefined ? {} : { subresource }),
    });
  }

  #send({ method, path, body, contentType }: Sent, within: Duration, signal?: AbortSignal): Promise<IncomingMessage> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers: Record<string, string | number> = { accept: 'application/json', 'user-agent': 'windlass-lab-stand-in' };
    if (payload !== undefined) {
      headers['content-type'] = contentType ?? 'application/json';
      headers['content-length'] = Buffer.byteLength(payload);
    }
    if (this.access.token !== undefined) headers.authorization = `Bearer ${this.access.token}`;
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent: this.#agent,
          host: this.#base.hostname,
          port: this.#base.port || 443,
          path,
          method,
          headers,
          ...(signal === undefined ? {} : { signal }),
        },
        resolve,
      );
      // The time-out also cuts an answer that stops coming.
      sent.setTimeout(within, () => sent.destroy(new Error(`no answer within ${within / 1_000} s`)));
      sent.on('error', (error) => reject(this.#unreachable(error)));
      sent.end(payload);
    });
  }

  #unreachable(error: unknown): Unreachable {
    const text = error instanceof Error ? error.message : String(error);
    return new Unreachable(`${this.access.server}: ${text}`);
  }
}

function parse(answer: IncomingMessage, text: string): unknown {
  const code = answer.statusCode ?? 0;
  const isJson = (answer.headers['content-type'] ?? '').includes('json');
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : text;
  if (code < 400) return body;
  throw StatusError.fromStatus(code, body) ?? new StatusError(code, 'Unknown', text.slice(0, 500));
}

/** As kubeadm's helpers ask: what nobody answers is asked again for a minute. */
export const patientClient = (access: Access): KubeClient => new KubeClient(access, seconds(10), seconds(60));
