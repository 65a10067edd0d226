import type { Vnfc } from '@windlass/mgmt-driver';
import { EXTERNAL_LB_PORT } from './haproxy.js';

/**
 * Where the cluster is registered, if that is at a balancer: certificates hold that address, and clients have it.
 * @param clusterUrl `HookContext.clusterUrl`
 */
export function registeredAddress(clusterUrl: string | undefined): string | undefined {
  if (clusterUrl === undefined || !URL.canParse(clusterUrl)) return undefined;
  const { hostname, port } = new URL(clusterUrl);
  return port === String(EXTERNAL_LB_PORT) ? hostname.replace(/^\[(.*)\]$/, '$1') : undefined;
}

/**
 * Why a balancer is not healed: it has lost the address that the cluster is registered at. A heal keeps ports, and so addresses; who changes a port or
 * its floating IP in Neutron changes what no certificate holds.
 * @param names all addresses that it has
 */
export function movedFrom({ name }: Vnfc, names: readonly string[], clusterUrl: string | undefined): string | undefined {
  const registered = registeredAddress(clusterUrl);
  if (registered === undefined || names.includes(registered)) return undefined;
  return `the cluster is registered at ${registered}, and ${name} has ${names.join(', ') || 'no address'} now: its port or its floating IP was changed in the VIM. A heal keeps ports and addresses, and certificates and clients know ${registered} alone. Give it back to the port (openstack port set --fixed-ip, or openstack floating ip set --port), or heal the whole, which makes the cluster anew`;
}
