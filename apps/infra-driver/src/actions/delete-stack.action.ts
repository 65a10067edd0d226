import { seconds } from '@windlass/foundation';
import { deleteStackAction } from '@windlass/lifecycle';
import { waitForDeletion } from '@windlass/openstack';
import { askForDeletion } from './asked-deletion.js';
import { infraAction, stackWait } from './infra-context.js';
import { requireOwnStack } from './ownership.js';
import { stopOwnWork } from './stop-stack.js';

/** Deletes the stack of a VNF and waits until it is gone. One that is not there is deleted. */
export const deleteStack = infraAction(deleteStackAction, {
  check: async ({ openStack, input }) => {
    const stack = await openStack.heat.findStack(input.stack.name);
    return stack === undefined || (input.stack.id !== undefined && stack.id !== input.stack.id);
  },
  apply: async ({ openStack, input, run, settings }) => {
    const stack = await openStack.heat.findStack(input.stack.name);
    if (stack === undefined || (input.stack.id !== undefined && stack.id !== input.stack.id)) return undefined;
    requireOwnStack(input, stack);
    if (stack.status !== 'DELETE_IN_PROGRESS') await askForDeletion({ openStack, run }, stack);
    await waitForDeletion(openStack.heat, stack, {
      ...stackWait({ settings, run }),
      onProgress: ({ total }) => run.progress(`${total} resources left`),
    });
    return undefined;
  },
  stop: async (context) => {
    await stopOwnWork(context, await context.openStack.heat.findStack(context.input.stack.name));
    return true;
  },
  retry: { attempts: 4, backoff: seconds(2), growth: 2 },
});
