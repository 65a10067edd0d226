import type { Step } from '../api/types.js';

/**
 * The steps as they stood at a moment, by their times: the API keeps of each step when it first began and last ended, in the phase that it is in. So what
 * earlier attempts said is not known any more, nor when a step was done that was undone since.
 * @param time milliseconds since the epoch
 */
export const stepsAsAt = (steps: readonly Step[], time: number): Step[] => steps.map((step) => asAt(step, time));

const NOT_YET = {
  attempt: 0,
  owner: null,
  progress: null,
  error: null,
  startedAt: null,
  endedAt: null,
  waitsFor: [],
  blockedOn: null,
  failedOn: [],
};

function asAt(step: Step, time: number): Step {
  if (step.startedAt === null || Date.parse(step.startedAt) > time) {
    // What is to be undone had been done by then; when, its times say no more.
    return { ...step, ...NOT_YET, ...(step.phase === 'undo' ? { phase: 'do', state: 'done' } : { state: 'waiting' }) };
  }
  if (step.endedAt !== null && Date.parse(step.endedAt) <= time) return step;
  // Which attempt it was is not known, and its last word came later: the empty one says that it ran.
  const state = step.action === 'ask-driver' ? 'expanded' : 'running';
  return { ...step, state, attempt: 1, endedAt: null, error: null, failedOn: [], progress: '', waitsFor: [] };
}
