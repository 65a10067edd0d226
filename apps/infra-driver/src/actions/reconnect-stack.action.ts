import { seconds } from '@windlass/foundation';
import { operationTag, reconnectStackAction, undoTag, type ReconnectStackInput, type StackUpdate } from '@windlass/lifecycle';
import { askForUpdate, atRest, awaitLastUpdate, isUpdatedBy, isUpdating, ownStack, wasAskedFor } from './asked-update.js';
import { infraAction, isFirstClaim, type InfraContext } from './infra-context.js';
import { isOurMark } from './marks.js';
import { stopOwnWork } from './stop-stack.js';

type Context = InfraContext<ReconnectStackInput>;

/**
 * Reconnects the ports of a stack by one update. For a new network Heat makes a new port, and plugs it into the running server. A new address is
 * given to the existing port.
 */
export const reconnectStack = infraAction(reconnectStackAction, {
  check: async (context) =>
    !isFirstClaim(context.run) && isUpdatedBy(operationTag(context.run.operationId), await ownStack(context)),
  apply: async (context) => {
    await reach(context, operationTag(context.run.operationId), context.input.wanted);
    return undefined;
  },
  undo: async (context) => {
    if (!(await wasAskedFor(context))) return;
    await reach(context, undoTag(context.run.operationId), context.input.earlier);
  },
  /** Where this operation's update was not asked for yet, there is nothing to stop. An earlier update that the step waited for goes on. */
  stop: async (context) => {
    await stopOwnWork(context, await ownStack(context));
    return true;
  },
  retry: { attempts: 4, backoff: seconds(2), growth: 2 },
});

/** Finds the update that a lost worker asked for, or asks for it; returns when it is complete. */
async function reach(context: Context, tag: string, update: StackUpdate): Promise<void> {
  const stack = await ownStack(context);
  if (isUpdating(tag, stack)) return awaitLastUpdate(context, stack);
  const resources = await atRest(context, stack);
  if (isUpdatedBy(tag, await ownStack(context))) return;
  const { heat } = context.openStack;
  // An update replaces what is marked, so marks that an abandoned heal or scaling left are removed first.
  for (const { stack: where, name, status, statusReason } of resources)
    if (status === 'CHECK_FAILED' && isOurMark(statusReason))
      await heat.markHealthy(where, name, `taken back by Windlass, operation ${context.run.operationId}`);
  await askForUpdate(context, stack, update);
  await awaitLastUpdate(context, stack);
}
