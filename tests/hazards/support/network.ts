import { SERVICES } from '@windlass/windlass';
import { TcpProxy } from './tcp-proxy.js';

/** The servers that services speak to. */
export type Peer = 'PostgreSQL' | 'NATS' | 'OpenStack';

/** A TCP proxy between each service and each of its servers. OpenStack has one proxy for all services. */
export class Network {
  readonly #roads = new Map<string, TcpProxy>();

  /** The proxy between a service and a server. */
  between(service: string, peer: Peer): TcpProxy {
    const road = this.#roads.get(keyOf(service, peer));
    if (road === undefined) throw new Error(`there is no road from ${service} to ${peer}`);
    return road;
  }

  /** Starts the proxies to PostgreSQL and NATS. */
  async build(postgresPort: number, natsPort: number): Promise<void> {
    for (const { name, core } of SERVICES) {
      this.#roads.set(keyOf(name, 'NATS'), await TcpProxy.to(natsPort));
      if (core) this.#roads.set(keyOf(name, 'PostgreSQL'), await TcpProxy.to(postgresPort));
    }
  }

  /** Starts the proxy to OpenStack. Returns the proxy's URL. */
  readonly toOpenStack = async (port: number): Promise<string> => {
    const road = await TcpProxy.to(port);
    this.#roads.set(keyOf('infra-driver', 'OpenStack'), road);
    return `http://127.0.0.1:${road.port}`;
  };

  /** The variables that lead a service to its proxies. */
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
