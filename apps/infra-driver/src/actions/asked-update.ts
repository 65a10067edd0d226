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

/** The context of an update that tags its stack: whichever worker asked for the update, the tag on the stack shows it. */
export type UpdateContext = Pick<InfraContext<Owner & { stack: StackIdentity }>, 'openStack' | 'input' | 'run' | 'settings'>;

/** @throws TerminalError `stack.not-ours`, `heat.stack-not-found` */
export const ownStack = async ({ openStack, input }: UpdateContext): Promise<Stack> =>
  requireOwnStack(input, await knownStack(openStack.heat, input.stack));

/** Whether the update of that tag was the stack's last, and ended well. */
export const isUpdatedBy = (tag: string, stack: Stack): boolean => stack.tags.includes(tag) && stack.status === 'UPDATE_COMPLETE';

/** Whether the update of that tag is under way. */
export const isUpdating = (tag: string, stack: Stack): boolean =>
  stack.tags.includes(tag) && stack.status === 'UPDATE_IN_PROGRESS';

/**
 * Asks for the update. A cancel does not tear the request off, because it must find its effect. Heat's own limit follows from the time that is
 * waited.
 */
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

/**
 * Waits until any update of the stack has ended. A new update must not meet one that is under way, nor children that go on under a parent that has
 * failed.
 */
export async function atRest({ openStack, run, settings }: UpdateContext, stack: Stack): Promise<StackResource[]> {
  if (parseStatus(stack.status).phase === 'IN_PROGRESS') run.progress(`waiting for ${stack.status} to end`);
  return waitUntilQuiet(openStack.heat, stack, stackWait({ settings, run }));
}

/**
 * Whether Heat got the update of this operation. A request whose answer was lost may still take effect: it counts as lost only when the update is not
 * seen for as long as Heat may take to begin it.
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
