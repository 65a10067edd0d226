import { minutes, seconds, TerminalError, waitUntil } from '@windlass/foundation';
import { removeStackAction, type RemoveStackInput } from '@windlass/lifecycle';
import { stackPath, waitForDeletion, type Stack } from '@windlass/openstack';
import { askForDeletion } from './asked-deletion.js';
import { infraAction, stackWait, type InfraContext } from './infra-context.js';

type Context = InfraContext<RemoveStackInput>;

/**
 * Removes the stack that an operation left. Where it is unknown whether Heat made the stack, it has to stay absent for as long as Heat may take to
 * make it.
 */
export const removeStack = infraAction(removeStackAction, {
  apply: async (context) => {
    const { openStack, run, settings, input } = context;
    const stack = await seenOrSurelyAbsent(context);
    if (stack === undefined) return undefined;
    run.progress(`deleting ${input.stack.name}`);
    if (stack.status !== 'DELETE_IN_PROGRESS') await askForDeletion({ openStack, run }, stack);
    run.onlyWaits();
    await waitForDeletion(openStack.heat, stack, {
      ...stackWait({ settings, run }),
      onProgress: ({ total }) => run.progress(`${total} resources left`),
    });
    return undefined;
  },
  retry: { attempts: 4, backoff: seconds(2), growth: 2 },
});

/**
 * The stack where it exists and is ours. Somebody else's stack with that name is left alone: ours does not exist then, and can't be made.
 * @throws TerminalError `stack.not-ours` where the stack with our id no longer carries our tags
 */
async function seenOrSurelyAbsent(context: Context): Promise<Stack | undefined> {
  const { run, settings, input } = context;
  const until = performance.now() + (input.stack.id === undefined ? settings.absentFor : 0);
  const { stack } = await waitUntil(
    async () => {
      const found = await living(context);
      if (found !== undefined) return { stack: ofOurs(found, input) };
      return performance.now() >= until ? { stack: undefined } : undefined;
    },
    {
      for: `the stack ${input.stack.name} to be seen, or to stay absent`,
      within: seconds((settings.absentFor + minutes(1)) / 1_000),
      every: seconds(1),
      signal: run.signal,
    },
  );
  return stack;
}

function ofOurs(found: Stack, { stack, tags }: RemoveStackInput): Stack | undefined {
  if (tags.every((tag) => found.tags.includes(tag))) return found;
  if (stack.id === undefined) return undefined;
  throw new TerminalError(
    'stack.not-ours',
    `the stack ${stackPath(found)} is not touched: it is tagged ${found.tags.join(', ') || 'with nothing'}, ${tags.join(' and ')} were expected. If it is what an operation left, give it these tags, then retry`,
  );
}

async function living({ openStack, input: { stack } }: Context): Promise<Stack | undefined> {
  const { name, id } = stack;
  const found =
    id === undefined ? await openStack.heat.findStack(name) : await openStack.heat.getStack({ name, id }, { outputs: false });
  return found?.status === 'DELETE_COMPLETE' ? undefined : found;
}
