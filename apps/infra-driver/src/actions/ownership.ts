import { TerminalError } from '@windlass/foundation';
import { isDeploymentTag, isWindlassTag, vnfTag } from '@windlass/lifecycle';
import { stackPath, type HeatApi, type Image, type Stack, type StackRef } from '@windlass/openstack';

/** The owner that a stack or an image must have before a step may change it. */
export interface Owner {
  vnfInstanceId: string;
  /** Absent in journals of older releases. */
  deploymentTag?: string;
}

/**
 * Whether tags are those of an instance's own things. Releases before 0.1's audits gave stacks no tag of the deployment, and their scalings removed
 * it by an update. Where that tag is missing the instance's tag decides, which every release has written.
 */
export function isOf({ vnfInstanceId, deploymentTag }: Owner, tags: readonly string[]): boolean {
  const deployments = tags.filter(isDeploymentTag);
  const isHere = deploymentTag === undefined || deployments.length === 0 || deployments.includes(deploymentTag);
  return isHere && tags.includes(vnfTag(vnfInstanceId));
}

/** @throws TerminalError `stack.not-ours`: it is somebody else's, and nothing is done to it */
export function requireOwnStack(owner: Owner, stack: Stack): Stack {
  if (isOf(owner, stack.tags)) return stack;
  const own = [vnfTag(owner.vnfInstanceId), ...(owner.deploymentTag === undefined ? [] : [owner.deploymentTag])];
  throw new TerminalError(
    'stack.not-ours',
    `the stack ${stackPath(stack)} is not this VNF's, and is not touched: it is tagged ${tagsTold(stack.tags)}, ${own.join(' and ')} were expected. If it is this VNF's, give it these tags, then retry`,
  );
}

/** The same for a stack of which only name and id are known. An absent stack belongs to nobody. */
export async function requireOwn(heat: HeatApi, owner: Owner, ref: StackRef): Promise<void> {
  const stack = await heat.getStack(ref, { outputs: false });
  if (stack !== undefined) requireOwnStack(owner, stack);
}

/**
 * @param tags the tags that the image must carry; empty in a journal of an older release: then the tag of any instance is enough
 * @throws TerminalError `image.not-ours`: somebody else's image, to which nothing is done
 */
export function requireOwnImage(tags: readonly string[], image: Image): Image {
  const isOurs = tags.length === 0 ? image.tags.some(isWindlassTag) : tags.every((tag) => image.tags.includes(tag));
  if (isOurs) return image;
  const own = tags.length === 0 ? 'a tag windlass-vnf-<instance>' : tags.join(' and ');
  throw new TerminalError(
    'image.not-ours',
    `the image ${image.name} (${image.id}) is not this VNF's, and is not touched: it is tagged ${tagsTold(image.tags)}, ${own} was expected`,
  );
}

const tagsTold = (tags: readonly string[]): string => (tags.length === 0 ? 'with nothing' : tags.join(', '));
