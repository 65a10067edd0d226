import { TerminalError } from '@windlass/foundation';
import { stackPath, type StackRef } from '../heat/heat-types.js';
import type { OpenStack } from '../openstack.js';
import { FLOATING_IP, PORT, SERVER, VOLUME, assembleParts, type Inventory, type StackParts } from './inventory.js';
import { layoutOf, type StackLayout } from './stack-layout.js';

/** Requests to one service at a time. */
const SIDE_BY_SIDE = 8;

/**
 * Reads what a stack consists of: one listing from Heat, then servers, ports, volumes and floating IPs from the services that
 * own them, many at once. (Asking Heat for each resource's attributes tells the same in many more and slower requests.)
 * Resources that their service does not have any more stay in it without attributes.
 * @throws TerminalError `heat.stack-not-found`; else what OpenStackSession.request throws
 */
export async function readParts(openStack: OpenStack, { name, id }: StackRef): Promise<StackParts> {
  const layout = layoutOf({ name, id }, await openStack.heat.listResources({ name, id }));
  const portIds = idsOf(layout, PORT);
  const [servers, ports, volumes, ofPorts, ownFloatingIps] = await Promise.all([
    each(idsOf(layout, SERVER), (id) => openStack.nova.getServer(id)),
    portIds.length === 0 ? [] : openStack.neutron.portsById(portIds),
    each(idsOf(layout, VOLUME), (id) => openStack.cinder.getVolume(id)),
    portIds.length === 0 ? [] : openStack.neutron.floatingIpsOfPorts(portIds),
    openStack.neutron.floatingIpsById(idsOf(layout, FLOATING_IP)),
  ]);
  return assembleParts(layout, { servers, ports, volumes, floatingIps: [...ofPorts, ...ownFloatingIps] });
}

/** The same, and the stack's status, asked for beside. Throws as {@link readParts} does. */
export async function readInventory(openStack: OpenStack, ref: StackRef): Promise<Inventory> {
  const [stack, parts] = await Promise.all([openStack.heat.getStack(ref, { outputs: false }), readParts(openStack, ref)]);
  if (stack === undefined) throw new TerminalError('heat.stack-not-found', `Heat has no stack ${stackPath(ref)} (any more)`);
  return { ...parts, status: stack.status };
}

function idsOf(layout: StackLayout, type: string): string[] {
  const ids = layout.leaves.filter(({ resource }) => resource.type === type).map(({ resource }) => resource.physicalId);
  return ids.filter((id): id is string => id !== undefined);
}

/** Reads each, a few at a time, and keeps those that are there. */
async function each<T>(ids: readonly string[], read: (id: string) => Promise<T | undefined>): Promise<T[]> {
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
