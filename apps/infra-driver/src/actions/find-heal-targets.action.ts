import { seconds, TerminalError } from '@windlass/foundation';
import {
  findHealTargetsAction,
  type FindHealTargetsInput,
  type FindHealTargetsOutput,
  type HealedResource,
  type HealTarget,
} from '@windlass/lifecycle';
import { readInventory, waitUntilQuiet, type InventoryItem, type ServerGroup, type StackRef } from '@windlass/openstack';
import { infraAction, stackWait, type InfraContext } from './infra-context.js';
import { stackContents } from './read-stack.action.js';
import { vnfModelOf } from '../vnf/vnf-model-of.js';
import { vnfcsOf } from '../vnf/vnfcs.js';

type Context = InfraContext<FindHealTargetsInput>;
type StackVnfc = ReturnType<typeof vnfcsOf>[number];

/** Waits until the stack is at rest, reads it, and finds what the heal replaces. Changes nothing. */
export const findHealTargets = infraAction(findHealTargetsAction, {
  apply: async (context) => {
    const { openStack, input } = context;
    const { name, id } = input.stack;
    const stack = id === undefined ? await openStack.heat.findStack(name) : await openStack.heat.getStack({ name, id });
    const there = stack !== undefined && stack.deletedAt === undefined && stack.status !== 'DELETE_COMPLETE';
    if (there) return await found(context, stack);
    // The heal creates a new stack, so the previous stack need not exist.
    if (input.recreates) return { resources: null, targets: [] } satisfies FindHealTargetsOutput;
    throw new TerminalError(
      'heat.stack-not-found',
      `the VIM has no stack ${name} (any more): heal the whole VNF, which creates it again`,
    );
  },
  retry: { attempts: 5, backoff: seconds(1), growth: 2 },
});

async function found({ openStack, input, run, settings }: Context, stack: StackRef): Promise<FindHealTargetsOutput> {
  if (!input.recreates) await waitUntilQuiet(openStack.heat, stack, stackWait({ settings, run }));
  const inventory = await readInventory(openStack, stack);
  const resources = stackContents(input, inventory);
  if (input.recreates) return { resources, targets: [] };
  const apart = keptApart(await openStack.nova.serverGroups());
  const listed = vnfcsOf(input.vnfInstanceId, vnfModelOf(input.flavour), inventory);
  const vnfcs = new Map(listed.map((vnfc) => [vnfc.id, vnfc]));
  const ids = input.vnfcIds ?? [...vnfcs.keys()];
  return { resources, targets: ids.map((id) => targetOf(vnfcs.get(id), id, apart, input.includesStorage)) };
}

/** Ids of the servers that are in an anti-affinity group. */
const keptApart = (groups: readonly ServerGroup[]): ReadonlySet<string> =>
  new Set(groups.filter(({ policies }) => policies.includes('anti-affinity')).flatMap(({ members }) => members));

function targetOf(vnfc: StackVnfc | undefined, id: string, apart: ReadonlySet<string>, includesStorage: boolean): HealTarget {
  if (vnfc === undefined)
    throw new TerminalError('heal.vnfc-gone', `the stack has no VNFC ${id} any more: heal others, or the whole VNF`);
  const server = healedResource(vnfc.server);
  return {
    vnfcId: id,
    vduId: vnfc.vdu.id,
    server,
    volumes: includesStorage ? vnfc.volumes.map(healedResource) : [],
    deletedFirst: deletedFirst(vnfc, apart, includesStorage),
  };
}

const healedResource = ({ place, physicalId }: InventoryItem): HealedResource => ({
  path: place.path,
  physicalId: physicalId ?? null,
});

/**
 * Whether a server is deleted before Heat makes its replacement, which is otherwise made first. In an anti-affinity group the replacement would need
 * one more host, and users can't see how many hosts there are. Volumes that stay would still be attached to the previous server. ADR 16.
 */
function deletedFirst(vnfc: StackVnfc, apart: ReadonlySet<string>, includesStorage: boolean): HealTarget['deletedFirst'] {
  const { physicalId } = vnfc.server;
  if (physicalId !== undefined && apart.has(physicalId)) return 'anti-affinity';
  return !includesStorage && vnfc.volumes.length > 0 ? 'keeps-volumes' : null;
}
