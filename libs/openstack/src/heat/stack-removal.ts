import { seconds, waitUntil, type Duration } from '@windlass/foundation';
import type { HeatApi } from './heat-api.js';
import { pauses, waitForDeletion, type StackWait } from './stack-waiting.js';

/**
 * How long Heat's API waits for its engine (`rpc_response_timeout`, 60 s by default), and a little more: a create that was sent
 * and whose answer was lost makes its stack within this time or never.
 */
export const HEAT_SETTLES_WITHIN: Duration = seconds(70);

export interface StackRemoval extends Omit<StackWait, 'onProgress'> {
  /** No stack of the name must be seen for so long. Zero where the outcome of its creation is known, else HEAT_SETTLES_WITHIN. */
  absentFor: Duration;
}

/**
 * Makes sure that no stack has the name: deletes the one there is, and one that a late request still makes.
 * Repeatable; this is what undoes a creation that may or may not have happened.
 * @throws TransientError `stack.delete-failed`, `wait.timeout`, and Heat's errors
 */
export async function removeStack(heat: HeatApi, name: string, removal: StackRemoval): Promise<void> {
  let absentSince: number | undefined;
  await waitUntil(
    async (seen) => {
      const stack = await heat.findStack(name);
      if (stack === undefined) {
        absentSince ??= performance.now();
        seen('no such stack');
        return performance.now() - absentSince >= removal.absentFor ? true : undefined;
      }
      seen(stack.status);
      if (stack.status !== 'DELETE_COMPLETE' && stack.status !== 'DELETE_IN_PROGRESS') await heat.deleteStack(stack);
      await waitForDeletion(heat, stack, removal);
      absentSince = undefined;
      return undefined;
    },
    {
      for: `stack ${name} to be gone, and to stay so`,
      within: removal.within,
      ...pauses(removal.poll),
      ...(removal.signal === undefined ? {} : { signal: removal.signal }),
    },
  );
}
