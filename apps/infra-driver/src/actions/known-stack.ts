import { TerminalError } from '@windlass/foundation';
import type { StackIdentity } from '@windlass/lifecycle';
import { stackPath, type HeatApi, type Stack } from '@windlass/openstack';

/**
 * The stack that the instance's record names, by its id where that is known: another stack with the same name is not the instance's.
 * @throws TerminalError `heat.stack-not-found`
 */
export async function knownStack(heat: HeatApi, { name, id }: StackIdentity): Promise<Stack> {
  const stack = id === undefined ? await heat.findStack(name) : await heat.getStack({ name, id }, { outputs: false });
  if (stack !== undefined && stack.deletedAt === undefined && stack.status !== 'DELETE_COMPLETE') return stack;
  const missing = id === undefined ? name : stackPath({ name, id });
  throw new TerminalError(
    'heat.stack-not-found',
    `the VIM has no stack ${missing} (any more): somebody deleted it; terminate the VNF, or heal it as a whole`,
  );
}
