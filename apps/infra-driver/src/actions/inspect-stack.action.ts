import { seconds, waitUntil } from '@windlass/foundation';
import { inspectStackAction, type InspectStackInput } from '@windlass/lifecycle';
import { pauses, readInventory, waitUntilQuiet, type Inventory, type StackRef } from '@windlass/openstack';
import { infraAction, stackWait, type InfraContext } from './infra-context.js';
import { stackContents } from './read-stack.action.js';

/** Looks at what is there of a VNF: its stack, if any, and those of its images that are. */
export const inspectStack = infraAction(inspectStackAction, {
  // A look is of its time: one that was taken before a retry says nothing.
  check: () => Promise.resolve(false),
  apply: async (context) => {
    const { openStack, input } = context;
    const stack = await openStack.heat.findStack(input.stack.name);
    const isThere = stack !== undefined && stack.status !== 'DELETE_COMPLETE' && stack.id === (input.stack.id ?? stack.id);
    const images = await Promise.all(input.images.map((id) => openStack.glance.getImage(id)));
    return {
      resources: isThere ? stackContents(input, await atRest(context, stack)) : null,
      images: images.flatMap((image) => (image === undefined ? [] : [image.id])),
    };
  },
  retry: { attempts: 5, backoff: seconds(1), growth: 2 },
});

/** The inventory once Heat and Nova have ended what they had begun for a given-up operation. Anything read before that may change the next moment. */
async function atRest({ openStack, run, settings }: InfraContext<InspectStackInput>, stack: StackRef): Promise<Inventory> {
  const within = settings.stackWithin;
  await waitUntilQuiet(openStack.heat, stack, stackWait({ settings, run }));
  return waitUntil(
    async (seen) => {
      const inventory = await readInventory(openStack, stack);
      const busy = inventory.servers.filter(({ serverTask }) => serverTask !== undefined);
      seen(busy.map(({ serverName, serverTask }) => `${serverName} is ${serverTask}`).join(', '));
      return busy.length === 0 ? inventory : undefined;
    },
    { for: `the servers of stack ${stack.name} to rest`, within, ...pauses(), signal: run.signal },
  );
}
