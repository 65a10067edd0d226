import { HttpFailure } from '../http/answer.js';
import type { Traversal } from './traversal.js';

/** How often a deletion that meets a Conflict is tried again: Heat's `action_retry_limit`. */
const CONFLICT_RETRIES = 5;

/**
 * What is in use by what goes at the same time, in another stack of the tree, is free in a moment: Heat tries such a deletion again.
 * @param unit of the pauses, in milliseconds: twice that, then doubled
 */
export async function despiteConflicts(traversal: Traversal, unit: number, remove: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await remove();
      return;
    } catch (error) {
      const isConflict = error instanceof HttpFailure && error.status === 409;
      if (!isConflict || attempt > CONFLICT_RETRIES) throw error;
      await traversal.pause(2 ** attempt * unit);
      // Work that was cancelled, or whose time is up, goes no further.
      if (traversal.outcome !== undefined) throw error;
    }
  }
}
