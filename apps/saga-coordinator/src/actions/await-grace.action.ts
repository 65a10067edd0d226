import { describeDuration, InvariantError, millis, seconds } from '@windlass/foundation';
import { awaitGraceAction } from '@windlass/lifecycle';
import { implementAction, type InputOf } from '@windlass/saga';
import { setTimeout as pause } from 'node:timers/promises';
import type { HookActionContext } from './ask-driver.action.js';

/** Delays a graceful termination or stop until the time that the operation's start has set. A wait that is resumed does not begin again. */
export const awaitGrace = implementAction(awaitGraceAction, {
  apply: async ({ run }: HookActionContext<InputOf<typeof awaitGraceAction>>) => {
    const until = Date.parse(run.input.until);
    if (Number.isNaN(until)) throw new InvariantError(`step ${run.stepId} has no end to wait for`);
    // Read once: a clock that is set meanwhile neither ends the grace nor prolongs it.
    run.onlyWaits();
    const end = performance.now() + until - Date.now();
    for (let left = end - performance.now(); left > 0; left = end - performance.now()) {
      run.progress(`${describeDuration(millis(left))} of grace left`);
      await pause(Math.min(left, seconds(5)), undefined, { signal: run.signal });
    }
    return undefined;
  },
});
