import { seconds, TerminalError, TransientError } from '@windlass/foundation';
import { operationTag, undoTag } from '@windlass/lifecycle';
import { parseStatus, stackPath, waitUntilQuiet, type OpenStack, type Stack, type StackRef } from '@windlass/openstack';
import { LeaseEnded, type StepRun } from '@windlass/saga';
import type { InfraContext } from './infra-context.js';

/** How long what Heat has begun may go on after the cancel before it is no longer waited for: a server that is built, say. */
const RESTS_WITHIN = seconds(60);

/**
 * Has Heat end its work on a stack for a forceful cancel: it begins nothing more, what it has begun comes to its own end, and the stack
 * becomes CREATE_FAILED or UPDATE_FAILED, "Stack ... cancelled". From there a retry asks for the work again, and a roll-back takes it back.
 * @throws TransientError `stack.still-moving`, when something in it goes on: it is not confirmed stopped
 */
export async function stopWork(
  { openStack, run }: Pick<InfraContext<unknown>, 'openStack' | 'run'>,
  stack: StackRef,
): Promise<void> {
  await openStack.heat.cancelUpdate(stack);
  try {
    await waitUntilQuiet(openStack.heat, stack, { within: RESTS_WITHIN, signal: run.signal });
  } catch (error) {
    if (!(error instanceof TransientError && error.code === 'wait.timeout')) throw error;
    throw new TransientError('stack.still-moving', `Heat was told to stop, and goes on with what it had begun: ${error.message}`);
  }
}

/**
 * The same for a stack that may be another operation's by now: only work that carries this operation's tag is ended.
 * @throws TerminalError `stack.deletion-goes-on`: Heat has no way to end a deletion
 */
export async function stopOwnWork(
  context: Pick<InfraContext<unknown>, 'openStack' | 'run'>,
  stack: Stack | undefined,
): Promise<void> {
  if (stack === undefined) return;
  if (stack.status === 'DELETE_IN_PROGRESS')
    throw new TerminalError('stack.deletion-goes-on', `Heat ends the deletion of stack ${stackPath(stack)} that it has begun`);
  const { operationId } = context.run;
  const isOurs = stack.tags.includes(operationTag(operationId)) || stack.tags.includes(undoTag(operationId));
  if (isOurs && parseStatus(stack.status).phase === 'IN_PROGRESS') await stopWork(context, stack);
}

/**
 * The VIM for a request whose effect a cancel must be able to find: a forceful cancel does not tear it off, so that its answer comes before
 * the look at what there is to stop. Losing the lease, or a service that stops, does.
 */
export function uninterruptedByCancel({ openStack, run }: Pick<InfraContext<unknown>, 'openStack' | 'run'>): OpenStack {
  return openStack.with({ fence: () => run.assertLease(), signal: unlessCancelled(run) });
}

/** A run's signal without its cancel: what losing the lease ends, and a service that stops. */
export function unlessCancelled({ signal }: Pick<StepRun, 'signal'>): AbortSignal {
  const control = new AbortController();
  const hear = (): void => {
    const reason: unknown = signal.reason;
    if (!(reason instanceof LeaseEnded && reason.stopReason === 'cancelled')) control.abort(reason);
  };
  if (signal.aborted) hear();
  else signal.addEventListener('abort', hear, { once: true });
  return control.signal;
}
