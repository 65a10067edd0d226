import { seconds, TerminalError, TransientError } from '@windlass/foundation';
import { operationTag, undoTag } from '@windlass/lifecycle';
import { parseStatus, stackPath, waitUntilQuiet, type OpenStack, type Stack, type StackRef } from '@windlass/openstack';
import { LeaseEnded, type StepRun } from '@windlass/saga';
import type { InfraContext } from './infra-context.js';

/** How long after the cancel the step waits for what Heat has begun, such as a server that is being built. */
const RESTS_WITHIN = seconds(60);

/**
 * Has Heat end its work on a stack for a forceful cancel. Heat begins nothing more, what it has begun comes to its own end, and the stack becomes
 * CREATE_FAILED or UPDATE_FAILED, "Stack ... cancelled". From that state a retry asks for the work again, and a roll-back undoes it.
 * @throws TransientError `stack.still-moving`, when something in the stack goes on: the stop is not confirmed
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
 * The VIM for a request whose effect a cancel must be able to find. A forceful cancel does not tear the request off, so that its answer arrives
 * before the step looks for what to stop. Losing the lease, or stopping the service, does.
 */
export function uninterruptedByCancel({ openStack, run }: Pick<InfraContext<unknown>, 'openStack' | 'run'>): OpenStack {
  return openStack.with({ fence: () => run.assertLease(), signal: unlessCancelled(run) });
}

/** A run's signal without its cancel. Losing the lease and stopping the service still end it. */
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
