import type { StackResource } from '../heat/heat-types.js';
import type { FloatingIp, Port } from '../neutron/neutron-api.js';
import type { OpenStack } from '../openstack.js';

/** Requests to one service at a time. */
const SIDE_BY_SIDE = 8;

/** Ids that the resources of a type have in the service that owns them. */
export function idsOf(resources: readonly StackResource[], type: string): string[] {
  const ids = resources.filter((resource) => resource.type === type).map(({ physicalId }) => physicalId);
  return ids.filter((id): id is string => id !== undefined);
}

/** Reads each, a few at a time, and keeps those that are there. */
export async function readEach<T>(ids: readonly string[], read: (id: string) => Promise<T | undefined>): Promise<T[]> {
  const left = [...ids];
  const found: T[] = [];
  const reader = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const thing = await read(id);
      if (thing !== undefined) found.push(thing);
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, ids.length) }, reader));
  return found;
}

/** Ports, and the floating IPs that lead to them. */
export interface PortsRead {
  ports: Port[];
  floatingIps: FloatingIp[];
}

/** Reads ports by their ids, and the floating IPs that lead to them; nothing is asked for where there are none. */
export async function portsOf({ neutron }: OpenStack, ids: readonly string[]): Promise<PortsRead> {
  if (ids.length === 0) return { ports: [], floatingIps: [] };
  const [ports, floatingIps] = await Promise.all([neutron.portsById(ids), neutron.floatingIpsOfPorts(ids)]);
  return { ports, floatingIps };
}

/** Whether resources of a type are floating IPs, or lead them to ports: `OS::Neutron::FloatingIP`, `OS::Nova::FloatingIPAssociation`, ... */
export const isFloating = (type: string): boolean => /floating/i.test(type);

/** Ids of all such resources. */
export const floatingIdsOf = (resources: readonly StackResource[]): string[] =>
  resources.flatMap(({ type, physicalId }) => (isFloating(type) && physicalId !== undefined ? [physicalId] : []));
