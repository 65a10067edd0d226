import { hostInUrl } from '@windlass/foundation';
import { API_PORT } from '@windlass/driver-kit';
import { fitting } from '../node/given-words.js';

/** The port of the cluster's API at its virtual address. */
export const BALANCED_PORT = 16_443;

/** A cluster's load balancer, the same on each of its nodes: HAProxy, and keepalived for the virtual address. */
export interface LoadBalancer {
  /** The virtual address, IPv4. */
  vip: string;
  /** The masters whose API servers get what comes; whether they stand already is HAProxy's to find out. */
  backends: HaproxyServer[];
  /**
   * Addresses of the nodes that may hold the virtual address, in any order; a node's own among them or not. Those that hold it tell these alone,
   * and who is told nothing takes it. So a node comes onto the list of others before it is configured itself, and leaves it only when its
   * keepalived is stopped (`leave-load-balancer`) or its VM is gone.
   */
  holders: string[];
}

/** A configuration, and what the running program is known by once it has read it. */
export interface Configuration {
  text: string;
  digest: string;
}

/** To whom an HAProxy passes on. */
export interface HaproxyServer {
  name: string;
  address: string;
}

/**
 * A server's name and address, as they stand in HAProxy's configuration: IPv6 in brackets.
 * @throws TerminalError `balancer.bad-name`, `balancer.bad-address`
 */
export function serverWords({ name, address }: HaproxyServer): HaproxyServer {
  fitting('balancer', 'name', name, 'the name of a back end');
  fitting('balancer', 'address', address, `the address of the back end ${name}`);
  return { name, address: hostInUrl(address) };
}

/** The back ends of {@link haproxyConfiguration}. @throws as {@link serverWords} */
export function serverLine(server: HaproxyServer): string {
  const { name, address } = serverWords(server);
  return `server ${name} ${address}:${API_PORT}`;
}
