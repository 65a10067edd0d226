import { seconds } from '@windlass/foundation';
import { operationTag, reconnectStackAction, undoTag, type ReconnectStackInput, type StackUpdate } from '@windlass/lifecycle';
import { askForUpdate, atRest, awaitLastUpdate, isUpdatedBy, isUpdating, ownStack, wasAskedFor } from './asked-update.js';
import { infraAction, type InfraContext } from './infra-context.js';
import { isOurMark } from './marks.js';
import { stopOwnWork } from './stop-stack.js';

type Context = InfraContext<ReconnectStackInput>;

/**
 * Connects the ports of a stack otherwise by one update. A port on another network is another port for Heat, which plugs it into the server that
 * runs on; another address is given to the port that is there.
 */
export const reconnectStack = infraAction(reconnectStackAction, {
  check: async (context) => isUpdatedBy(operationTag(context.run.operationId), await ownStack(context)),
  apply: async (context) => {
    await reach(context, operationTag(context.run.operationId), context.input.wanted);
    return undefined;
  },
  undo: async (context) => {
    if (!(await wasAskedFor(context))) return;
    await reach(context, undoTag(context.run.operationId), context.input.earlier);
  },
  /** Where the update had not been asked for yet, nothing is to be stopped: another's that was waited for goes on. */
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
  // An update replaces what is marked: what a heal or a scaling that was left has marked stays.
  for (const { stack: where, name, status, statusReason } of resources)
    if (status === 'CHECK_FAILED' && isOurMark(statusReason))
      await heat.markHealthy(where, name, `taken back by Windlass, operation ${context.run.operationId}`);
  await askForUpdate(context, stack, update);
  await awaitLastUpdate(context, stack);
}
