import { markUnhealthyAction } from '@windlass/lifecycle';
import { seconds } from '@windlass/foundation';
import { markOriginals, markReason, quietInventory, resourcesIn, standingsOf, type ResourceStanding } from './heal-view.js';
import { infraAction } from './infra-context.js';
import { requireOwn } from './ownership.js';

/** Whether a resource needs no mark. A mark changes nothing in the stack by itself: the next update replaces what is marked. */
const settled = ({ original, item }: ResourceStanding): boolean => !original || item?.status === 'CHECK_FAILED';

/** Marks servers, and the volumes that are to go with them, so that the next update replaces them. */
export const markUnhealthy = infraAction(markUnhealthyAction, {
  check: async (context) => {
    const standings = standingsOf(context.input.targets, await quietInventory(context));
    return resourcesIn(standings).every(settled);
  },
  apply: async (context) => {
    await requireOwn(context.openStack.heat, context.input, context.input.stack);
    await markOriginals(context, standingsOf(context.input.targets, await quietInventory(context)));
    return undefined;
  },
  /** Removes the marks that are ours. A server that was replaced meanwhile has none. */
  undo: async (context) => {
    const { openStack, input } = context;
    await requireOwn(openStack.heat, input, input.stack);
    for (const { item, original } of resourcesIn(standingsOf(input.targets, await quietInventory(context)))) {
      if (!original || item === undefined) continue;
      const now = await openStack.heat.getResource(item.place.stack, item.name);
      if (now?.status !== 'CHECK_FAILED' || now.statusReason !== markReason(context)) continue;
      await openStack.heat.markHealthy(item.place.stack, item.name, 'the heal was rolled back');
    }
  },
  retry: { attempts: 5, backoff: seconds(2), growth: 2 },
});
