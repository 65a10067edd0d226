import { API_PORT } from '@windlass/driver-kit';

/** The port of the cluster's API at its virtual address. */
export const BALANCED_PORT = 16_443;

/** A cluster's load balancer, the same on each of its nodes: HAProxy, and keepalived for the virtual address. */
export interface LoadBalancer {
  /** The virtual address, IPv4. */
  vip: string;
  /** The masters whose API servers get what comes; whether they stand already is HAProxy's to find out. */
  backends: { name: string; address: string }[];
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

/** The back ends of {@link haproxyConfiguration}. */
export const serverLine = ({ name, address }: LoadBalancer['backends'][number]): string =>
  `server ${name} ${address}:${API_PORT}`;
