import { hostInUrl } from '@windlass/foundation';
import { API_PORT } from '@windlass/driver-kit';
import { fitting } from '../node/given-words.js';

/** The port of the cluster's API at its virtual address. */
export const BALANCED_PORT = 16_443;

/** A cluster's load balancer, the same on each of its nodes: HAProxy, and keepalived for the virtual address. */
export interface LoadBalancer {
  /** The virtual address, IPv4. */
  vip: string;
  /** The masters whose API servers receive the connections. HAProxy finds out by itself which of them run. */
  backends: HaproxyServer[];
  /**
   * Addresses of the nodes that may hold the virtual address, in any order; a node's own may be among them or not.
   * The holder sends its adverts to these addresses alone, and a node that hears no advert takes the address. So the other nodes list a new node
   * before the new node is configured, and keep it listed until its keepalived is stopped (`leave-load-balancer`) or its VM is gone.
   */
  holders: string[];
}

/** A configuration, and the digest that the running program shows once it has read that configuration. */
export interface Configuration {
  text: string;
  digest: string;
}

/** A back end of an HAProxy. */
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
