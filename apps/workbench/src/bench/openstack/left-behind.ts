import { millis, minutes } from '@windlass/foundation';
import { removeStack, type OpenStack } from '@windlass/openstack';

/** Windlass's name for the stack of an instance, and its tag on the images of one. */
export const stackOf = (vnfInstanceId: string): string => `vnf-${vnfInstanceId}`;
const tagOf = (vnfInstanceId: string): string => `windlass-vnf-${vnfInstanceId}`;

/** How long a request that was under way when the bench ended may still make its stack; the small OpenStack answers well within. */
const SETTLED_AFTER = millis(2_000);

/**
 * Deletes what a bench made in an OpenStack that stays: stacks and images of its instances, and stacks that it asked for itself. For when the services
 * are stopped; what is gone already counts as deleted.
 * @param left ids of VNF instances, names of stacks, and the deployment whose images go, those that instances share
 * @throws what Heat and Glance say, after everything else was tried
 */
export async function deleteLeftovers(
  openStack: OpenStack,
  left: { instances: Iterable<string>; stacks: Iterable<string>; deployment?: string | undefined },
  settledAfter = SETTLED_AFTER,
): Promise<void> {
  const instances = [...left.instances];
  const names = [...instances.map(stackOf), ...left.stacks];
  const removal = { absentFor: settledAfter, within: minutes(2) };
  const stacks = await Promise.allSettled(names.map((name) => removeStack(openStack.heat, name, removal)));
  const tags = [...instances.map(tagOf), ...(left.deployment === undefined ? [] : [`windlass-deployment-${left.deployment}`])];
  const images = await Promise.allSettled(tags.map((tag) => deleteImagesOf(openStack, tag)));
  const failed = [...stacks, ...images].find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function deleteImagesOf({ glance }: OpenStack, tag: string): Promise<void> {
  for (const { id } of await glance.findImages({ tag })) await glance.deleteImage(id);
}
