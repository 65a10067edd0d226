import type { Stack } from '@windlass/openstack';
import type { InfraContext } from './infra-context.js';

/**
 * Asks for the deletion. Where Heat has failed to delete the stack before, the progress says so, and the deletion is asked for again, as often as the
 * step's policy has attempts.
 */
export async function askForDeletion(
  { openStack, run }: Pick<InfraContext<unknown>, 'openStack' | 'run'>,
  stack: Stack,
): Promise<void> {
  if (stack.status === 'DELETE_FAILED') run.progress(`deleting again what Heat could not delete (${stack.statusReason})`);
  await openStack.heat.deleteStack(stack);
}
