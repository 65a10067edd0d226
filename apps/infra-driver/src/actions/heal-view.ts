import { TransientError } from '@windlass/foundation';
import type { HealedResource, HealTarget, ReplaceServersInput } from '@windlass/lifecycle';
import {
  parseStatus,
  readInventory,
  waitUntilQuiet,
  type Inventory,
  type InventoryItem,
  type ServerItem,
  type StackStatus,
} from '@windlass/openstack';
import { stackWait, type InfraContext } from './infra-context.js';
import { HEAL_MARK } from './marks.js';

export type HealContext = InfraContext<ReplaceServersInput>;

/** The present state of a resource that is to be replaced. */
export interface ResourceStanding {
  wanted: HealedResource;
  /** What fills the place; undefined where the stack has no such place any more. */
  item: InventoryItem | undefined;
  /** Whether the resource has a new id, and is in order. */
  replaced: boolean;
  /** Whether the resource that is to go is still there, as far as Heat knows. */
  original: boolean;
}

export interface TargetStanding {
  target: HealTarget;
  server: ResourceStanding;
  volumes: ResourceStanding[];
}

/** The stack's inventory once Heat is at rest. Children may go on under a parent that has failed already. */
export async function quietInventory({ openStack, input, run, settings }: HealContext): Promise<Inventory> {
  await waitUntilQuiet(openStack.heat, input.stack, stackWait({ settings, run }));
  return readInventory(openStack, input.stack);
}

/** The present state of each target. A resource is known by its place in the stack; the id in that place tells whether it was replaced. Pure. */
export function standingsOf(targets: readonly HealTarget[], inventory: Inventory): TargetStanding[] {
  return targets.map((target) => ({
    target,
    server: standing(target.server, inventory.servers, serverInOrder),
    volumes: target.volumes.map((volume) => standing(volume, inventory.volumes, () => true)),
  }));
}

/** Every resource of every target. */
export const resourcesIn = (standings: readonly TargetStanding[]): ResourceStanding[] =>
  standings.flatMap(({ server, volumes }) => [server, ...volumes]);

/** Whether the heal is complete: each resource is replaced, and the stack's last update succeeded. */
export const isHealed = (standings: readonly TargetStanding[], status: StackStatus): boolean =>
  parseStatus(status).phase === 'COMPLETE' && resourcesIn(standings).every(({ replaced }) => replaced);

/** Whether a server can be the replacement: Nova knows it, and it is not in ERROR. */
const serverInOrder = ({ serverStatus }: ServerItem): boolean => serverStatus !== undefined && serverStatus !== 'ERROR';

function standing<Item extends InventoryItem>(
  wanted: HealedResource,
  items: readonly Item[],
  inOrder: (item: Item) => boolean,
): ResourceStanding {
  const item = items.find(({ place }) => place.path.join('/') === wanted.path.join('/'));
  const original = item !== undefined && wanted.physicalId !== null && item.physicalId === wanted.physicalId;
  const other = item?.physicalId !== undefined && item.physicalId !== wanted.physicalId;
  const complete = item !== undefined && parseStatus(item.status).phase === 'COMPLETE';
  return { wanted, item, original, replaced: other && complete && inOrder(item) };
}

/** The reason on our marks, by which the undo finds them. */
export const markReason = ({ run }: HealContext): string => `${HEAL_MARK}${run.operationId}`;

/**
 * Marks resources that are still the original and not marked. The id in each place is compared first, so that a replacement is never marked.
 * @throws TransientError `heal.stack-moved` when something in the stack moves meanwhile
 */
export async function markOriginals(context: HealContext, standings: readonly TargetStanding[]): Promise<void> {
  const { openStack, run } = context;
  for (const { wanted, item, original } of resourcesIn(standings)) {
    if (!original || item === undefined || item.status === 'CHECK_FAILED') continue;
    const now = await openStack.heat.getResource(item.place.stack, item.name);
    if (now?.physicalId !== item.physicalId)
      throw new TransientError('heal.stack-moved', `${wanted.path.join('/')} changed while it was looked at`);
    run.progress(`marking ${wanted.path.join('/')}`);
    await openStack.heat.markUnhealthy(item.place.stack, item.name, markReason(context));
  }
}
