import { SERVICES } from '@windlass/windlass';
import { TcpProxy } from './tcp-proxy.js';

/** What the services stand on. */
export type Peer = 'PostgreSQL' | 'NATS' | 'OpenStack';

/** A road of its own between each service and each server that it speaks to. */
export class Network {
  readonly #roads = new Map<string, TcpProxy>();

  /** The road between the two; that to OpenStack is one for all. */
  between(service: string, peer: Peer): TcpProxy {
    const road = this.#roads.get(keyOf(service, peer));
    if (road === undefined) throw new Error(`there is no road from ${service} to ${peer}`);
    return road;
  }

  /** Makes the roads to the two servers. */
  async build(postgresPort: number, natsPort: number): Promise<void> {
    for (const { name, core } of SERVICES) {
      this.#roads.set(keyOf(name, 'NATS'), await TcpProxy.to(natsPort));
      if (core) this.#roads.set(keyOf(name, 'PostgreSQL'), await TcpProxy.to(postgresPort));
    }
  }

  /** Makes the road to OpenStack; its URL. */
  readonly toOpenStack = async (port: number): Promise<string> => {
    const road = await TcpProxy.to(port);
    this.#roads.set(keyOf('infra-driver', 'OpenStack'), road);
    return `http://127.0.0.1:${road.port}`;
  };

  /** Where a service finds its servers. */
  environment(service: string, databaseUrl: string): Record<string, string> {
    const postgres = this.#roads.get(keyOf(service, 'PostgreSQL'));
    return {
      NATS_URL: `nats://127.0.0.1:${this.between(service, 'NATS').port}`,
      ...(postgres === undefined ? {} : { DATABASE_URL: withPort(databaseUrl, postgres.port) }),
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#roads.values()].map((road) => road.close()));
  }
}

const keyOf = (service: string, peer: Peer): string => `${service} ${peer}`;

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.toString();
}
