import { minutes, seconds, waitUntil } from '@windlass/foundation';
import type { ApiClient } from '@windlass/windlass';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { percentile, rounded } from '../figures.js';
import { INSTANCES } from '../operations.js';

/** From a change until the last of all its notifications has come; milliseconds. */
export interface FanOutFigures {
  p50: number;
  p95: number;
}

/** All subscribers in one server on loopback: each has a path of its own. */
export class Subscribers {
  readonly #arrivals = new Map<string, number[]>();
  #count = 0;

  private constructor(
    private readonly server: Server,
    private readonly url: string,
  ) {}

  static async start(): Promise<Subscribers> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const subscribers = new Subscribers(server, `http://127.0.0.1:${port}`);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        if (request.method === 'POST') subscribers.#came(Buffer.concat(parts).toString());
        response.writeHead(204).end();
      });
    });
    return subscribers;
  }

  /** Subscribes until there are so many. */
  async upTo(api: ApiClient, count: number): Promise<void> {
    for (; this.#count < count; this.#count += 1)
      await api.post('/vnflcm/v1/subscriptions', { callbackUri: `${this.url}/${this.#count}` });
  }

  /** Makes so many instances, one after the other, each when all subscribers have heard of the one before. */
  async hear(api: ApiClient, vnfdId: string, changes: number, signal: AbortSignal): Promise<FanOutFigures> {
    const times: number[] = [];
    for (let change = 0; change < changes; change += 1) {
      const sentAt = performance.now();
      const { id } = await api.post<{ id: string }>(INSTANCES, { vnfdId });
      const last = await this.#allHeard(id, signal);
      times.push(last - sentAt);
    }
    return { p50: rounded(percentile(times, 0.5)), p95: rounded(percentile(times, 0.95)) };
  }

  /** When the last of them heard of an instance, by `performance.now()`. */
  #allHeard(id: string, signal: AbortSignal): Promise<number> {
    return waitUntil(
      () => {
        const arrivals = this.#arrivals.get(id) ?? [];
        return Promise.resolve(arrivals.length >= this.#count ? Math.max(...arrivals) : undefined);
      },
      { for: `${this.#count} subscribers to hear of instance ${id}`, within: minutes(2), every: seconds(0.01), signal },
    );
  }

  #came(body: string): void {
    const { vnfInstanceId = '' } = JSON.parse(body) as { vnfInstanceId?: string };
    this.#arrivals.set(vnfInstanceId, [...(this.#arrivals.get(vnfInstanceId) ?? []), performance.now()]);
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
