import { TerminalError } from '@windlass/foundation';
import { stackPath, type StackRef } from '../heat/heat-types.js';
import type { OpenStack } from '../openstack.js';
import type { EarlyParts } from './early-parts.js';
import { FLOATING_IP, PORT, SERVER, VOLUME, assembleParts, type Inventory, type StackParts } from './inventory.js';
import { floatingIdsOf, idsOf, portsOf, readEach, type PortsRead } from './reading.js';
import { layoutOf } from './stack-layout.js';

/**
 * Reads what a stack consists of: one listing from Heat, then servers, ports, volumes and floating IPs from the services that
 * own them, many at once. (Asking Heat for each resource's attributes tells the same in many more and slower requests.)
 * Resources that their service does not have any more stay in it without attributes.
 * @param early what is known of the stack from before it was complete: its servers and ports are not read again, and ports that were not read are asked for
 *   beside the listing. Whatever the listing shows otherwise is read anew
 * @throws TerminalError `heat.stack-not-found`; else what OpenStackSession.request throws
 */
export async function readParts(openStack: OpenStack, { name, id }: StackRef, early?: EarlyParts): Promise<StackParts> {
  const ahead = early === undefined ? undefined : portsAhead(openStack, early);
  // It is awaited only where it is of use, and what is wrong with the VIM the other requests meet, too.
  ahead?.catch(() => undefined);
  const [listed, readEarly = []] = await Promise.all([openStack.heat.listResources({ name, id }), early?.servers]);
  const layout = layoutOf({ name, id }, listed);
  const resources = layout.leaves.map(({ resource }) => resource);
  const known = new Map(readEarly.map((server) => [server.id, server]));
  const portIds = idsOf(resources, PORT);
  const areAhead = early !== undefined && areSame(portIds, early.portIds) && areSame(floatingIdsOf(resources), early.floatingIds);
  const [servers, ports, volumes, ownFloatingIps] = await Promise.all([
    readEach(idsOf(resources, SERVER), async (id) => known.get(id) ?? (await openStack.nova.getServer(id))),
    ahead !== undefined && areAhead ? ahead : portsOf(openStack, portIds),
    readEach(idsOf(resources, VOLUME), (id) => openStack.cinder.getVolume(id)),
    openStack.neutron.floatingIpsById(idsOf(resources, FLOATING_IP)),
  ]);
  const floatingIps = [...ports.floatingIps, ...ownFloatingIps];
  return assembleParts(layout, { servers, ports: ports.ports, volumes, floatingIps });
}

/** Those that were read before the stack was complete, else as they are now. */
const portsAhead = async (openStack: OpenStack, { ports, portIds }: EarlyParts): Promise<PortsRead> =>
  (await ports) ?? portsOf(openStack, portIds);

function areSame(one: readonly string[], other: readonly string[]): boolean {
  const others = new Set(other);
  return one.length === other.length && one.every((id) => others.has(id));
}

/** The same, and the stack's status, asked for beside. Throws as {@link readParts} does. */
export async function readInventory(openStack: OpenStack, ref: StackRef): Promise<Inventory> {
  const [stack, parts] = await Promise.all([openStack.heat.getStack(ref, { outputs: false }), readParts(openStack, ref)]);
  if (stack === undefined) throw new TerminalError('heat.stack-not-found', `Heat has no stack ${stackPath(ref)} (any more)`);
  return { ...parts, status: stack.status };
}
