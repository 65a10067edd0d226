import { seconds } from '@windlass/foundation';
import { deleteStackAction, type DeleteStackInput } from '@windlass/lifecycle';
import { waitForDeletion, type Stack } from '@windlass/openstack';
import { askForDeletion } from './asked-deletion.js';
import { infraAction, isFirstClaim, stackWait, type InfraContext } from './infra-context.js';
import { requireOwnStack } from './ownership.js';
import { stopOwnWork } from './stop-stack.js';

/** Deletes the stack of a VNF and waits until it is gone. A stack that is absent counts as deleted. */
export const deleteStack = infraAction(deleteStackAction, {
  check: async (context) => !isFirstClaim(context.run) && (await standing(context)) === undefined,
  apply: async (context) => {
    const { openStack, input, run, settings } = context;
    const stack = await standing(context);
    if (stack === undefined) return undefined;
    requireOwnStack(input, stack);
    const isNew = stack.status !== 'DELETE_IN_PROGRESS';
    if (isNew) await askForDeletion({ openStack, run }, stack);
    run.onlyWaits();
    await waitForDeletion(openStack.heat, stack, {
      ...stackWait({ settings, run }),
      // How long a VIM takes to delete depends more on it than on the stack.
      ...(isNew ? { kind: 'DELETE' } : {}),
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

/** The stack to delete, while it exists. It is found by its id where that is known: another stack with the name is not the one. */
async function standing({ openStack, input: { stack } }: InfraContext<DeleteStackInput>): Promise<Stack | undefined> {
  const { name, id } = stack;
  if (id === undefined) return openStack.heat.findStack(name);
  const found = await openStack.heat.getStack({ name, id }, { outputs: false });
  return found?.deletedAt === undefined ? found : undefined;
}
