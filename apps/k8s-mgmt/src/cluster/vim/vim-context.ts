import type { VimRegistry } from '@windlass/driver-kit';
import { RequestError, TerminalError, TransientError } from '@windlass/foundation';
import type { StepRun } from '@windlass/saga';

/** What an action on the registry works with, on behalf of one claim. */
export interface VimContext<Input = unknown> {
  run: StepRun<Input>;
  vims: VimRegistry;
}

export interface VimIdInput {
  vimId: string;
}

/** Takes the cluster out of the registry. One that is not there is gone. */
export async function removeVim({ run, vims }: VimContext): Promise<void> {
  run.assertLease();
  await translated(() => vims.remove(run));
}

/**
 * Translates the registry's refusals, which are no fault of a request here. A cluster that the registry can't reach yet is tried again; every other
 * refusal ends the step.
 */
export async function translated<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.code === 'vim.unreachable') throw new TransientError(error.code, error.message, { cause: error });
    throw new TerminalError(error.code, error.message, { status: error.status, cause: error });
  }
}
