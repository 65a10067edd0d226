import { seconds } from '@windlass/foundation';
import { inspectStackAction } from '@windlass/lifecycle';
import { readInventory } from '@windlass/openstack';
import { infraAction } from './infra-context.js';
import { stackContents } from './read-stack.action.js';

/** Looks at what is there of a VNF: its stack, if any, and those of its images that are. */
export const inspectStack = infraAction(inspectStackAction, {
  // A look is of its time: one that was taken before a retry says nothing.
  check: () => Promise.resolve(false),
  apply: async ({ openStack, input }) => {
    const stack = await openStack.heat.findStack(input.stack.name);
    const isThere = stack !== undefined && stack.status !== 'DELETE_COMPLETE' && stack.id === (input.stack.id ?? stack.id);
    const images = await Promise.all(input.images.map((id) => openStack.glance.getImage(id)));
    return {
      resources: isThere ? stackContents(input, await readInventory(openStack, stack)) : null,
      images: images.flatMap((image) => (image === undefined ? [] : [image.id])),
    };
  },
  retry: { attempts: 5, backoff: seconds(1), growth: 2 },
});
