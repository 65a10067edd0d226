import type { Vnfc } from '@windlass/mgmt-driver';
import { EXTERNAL_LB_PORT } from './haproxy.js';

/**
 * The address at which the cluster is registered, where that is a load balancer's: certificates hold this address, and clients use it.
 * @param clusterUrl `HookContext.clusterUrl`
 */
export function registeredAddress(clusterUrl: string | undefined): string | undefined {
  if (clusterUrl === undefined || !URL.canParse(clusterUrl)) return undefined;
  const { hostname, port } = new URL(clusterUrl);
  return port === String(EXTERNAL_LB_PORT) ? hostname.replace(/^\[(.*)\]$/, '$1') : undefined;
}

/**
 * Why a load balancer can't be healed: it no longer has the address at which the cluster is registered. A heal keeps ports, and with them addresses.
 * A port or floating IP that was changed in Neutron gives an address that no certificate holds.
 * @param names all addresses of the load balancer
 */
export function movedFrom({ name }: Vnfc, names: readonly string[], clusterUrl: string | undefined): string | undefined {
  const registered = registeredAddress(clusterUrl);
  if (registered === undefined || names.includes(registered)) return undefined;
  return `the cluster is registered at ${registered}, and ${name} has ${names.join(', ') || 'no address'} now: its port or its floating IP was changed in the VIM. A heal keeps ports and addresses, and certificates and clients know ${registered} alone. Give it back to the port (openstack port set --fixed-ip, or openstack floating ip set --port), or heal the whole, which makes the cluster anew`;
}
