import { HttpFailure } from '../../http/answer.js';

/** A removal where it does not matter whether the thing is there still. */
export function ignoringNotFound(remove: () => void): void {
  try {
    remove();
  } catch (error) {
    if (!(error instanceof HttpFailure) || error.status !== 404) throw error;
  }
}
