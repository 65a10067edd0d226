import { TransientError } from '@windlass/foundation';
import { NothingDone } from '../engine/nothing-done.js';
import type { StepRun } from './action.js';

/** What has become of a claim's run, whose look (`check`) and work (`apply`) go through the fence one after the other. */
const fenced = new WeakMap<object, { change: boolean; end: boolean }>();

/**
 * Runs work that asserts the lease as its last act before each change outside. Once it has failed the lease is good for no more changes, whatever of
 * the work still runs beside.
 * @param run of one claim; work that goes through the fence with it before counts, too
 * @param work gets the run to work with; an assertion of its lease is how a change is known
 * @throws NothingDone with what the work threw, where the run's lease was never asserted; else what it threw
 */
export async function throughFence<R extends Pick<StepRun, 'assertLease'>, T>(run: R, work: (run: R) => Promise<T>): Promise<T> {
  const seen = fenced.get(run) ?? { change: false, end: false };
  fenced.set(run, seen);
  const assertLease = (): void => {
    if (seen.end) throw new TransientError('step.over', 'the step has failed already: nothing of it changes anything any more');
    run.assertLease();
    seen.change = true;
  };
  try {
    return await work({ ...run, assertLease });
  } catch (error) {
    seen.end = true;
    throw seen.change ? error : new NothingDone(error);
  }
}
