import { seconds, waitUntil } from '@windlass/foundation';
import { operationTag, undoTag, type StackIdentity, type StackUpdate } from '@windlass/lifecycle';
import {
  parseStatus,
  waitForStack,
  waitUntilQuiet,
  type Stack,
  type StackChange,
  type StackRef,
  type StackResource,
} from '@windlass/openstack';
import { heatTimeoutMinutes, stackWait, type InfraContext } from './infra-context.js';
import { knownStack } from './known-stack.js';
import { requireOwnStack, type Owner } from './ownership.js';
import { uninterruptedByCancel } from './stop-stack.js';

/** An update of a stack that carries the tag of whose it is: what was asked for is seen on the stack, whoever asked. */
export type UpdateContext = Pick<InfraContext<Owner & { stack: StackIdentity }>, 'openStack' | 'input' | 'run' | 'settings'>;

/** @throws TerminalError `stack.not-ours`, `heat.stack-not-found` */
export const ownStack = async ({ openStack, input }: UpdateContext): Promise<Stack> =>
  requireOwnStack(input, await knownStack(openStack.heat, input.stack));

/** Whether the update of that tag was the stack's last, and ended well. */
export const isUpdatedBy = (tag: string, stack: Stack): boolean => stack.tags.includes(tag) && stack.status === 'UPDATE_COMPLETE';

/** Whether the update of that tag is under way. */
export const isUpdating = (tag: string, stack: Stack): boolean =>
  stack.tags.includes(tag) && stack.status === 'UPDATE_IN_PROGRESS';

/** Asks for the update, which a cancel must be able to find. Heat's own limit follows from the time that is waited. */
export async function askForUpdate(
  { openStack, run, settings }: Pick<InfraContext<unknown>, 'openStack' | 'run' | 'settings'>,
  stack: StackRef,
  { template, files, parameters, tags }: Partial<StackUpdate>,
): Promise<void> {
  // Not `timeoutMinutes` of an older release's journal: STACK_WITHIN may have been raised since.
  const given = Object.entries({ template, files, parameters, tags }).filter(([, value]) => value !== undefined);
  const change: StackChange = { ...Object.fromEntries(given), timeoutMinutes: heatTimeoutMinutes(settings) };
  await uninterruptedByCancel({ openStack, run }).heat.updateStack(stack, change);
}

/** Waits for the update that is under way. @throws TerminalError where it fails */
export async function awaitUpdate({ openStack, run, settings }: UpdateContext, stack: Stack): Promise<void> {
  await waitForStack(openStack.heat, stack, 'UPDATE', {
    ...stackWait({ settings, run }),
    onProgress: ({ complete, total }) => run.progress(`${complete} of ${total} resources`),
  });
}

/** The same where nothing but a look at what came of it is left to the step. */
export function awaitLastUpdate(context: UpdateContext, stack: Stack): Promise<void> {
  context.run.onlyWaits();
  return awaitUpdate(context, stack);
}

/** Whoever's update it was: a new one must not meet it half-way, nor children that go on under a parent that has failed. */
export async function atRest({ openStack, run, settings }: UpdateContext, stack: Stack): Promise<StackResource[]> {
  if (parseStatus(stack.status).phase === 'IN_PROGRESS') run.progress(`waiting for ${stack.status} to end`);
  return waitUntilQuiet(openStack.heat, stack, stackWait({ settings, run }));
}

/**
 * Whether Heat ever got the update of this operation. A request whose answer was lost may still come: it did not happen only if it
 * is not seen for as long as Heat may take to begin it.
 */
export async function wasAskedFor(context: UpdateContext): Promise<boolean> {
  const { run, settings } = context;
  const tags = [operationTag(run.operationId), undoTag(run.operationId)];
  const until = performance.now() + settings.absentFor;
  return waitUntil(
    async () => {
      const stack = await ownStack(context);
      if (tags.some((tag) => stack.tags.includes(tag))) return { asked: true };
      return performance.now() >= until ? { asked: false } : undefined;
    },
    {
      for: 'the update to be seen, or to stay absent',
      within: seconds(settings.absentFor / 1_000 + 60),
      every: seconds(1),
      signal: run.signal,
    },
  ).then(({ asked }) => asked);
}
