import { InvariantError } from '@windlass/foundation';

/** What a host says of a job. */
export type JobState =
  | { kind: 'none' }
  /** `elapsed` in hundredths of seconds. */
  | { kind: 'running'; elapsed: number }
  /** `began` and `ended` in seconds since 1970, by the host's clock. */
  | { kind: 'exited'; status: number; began: number; ended: number }
  | { kind: 'ended'; reason: string; began: number; ended: number };

/** A job that is over. */
export type EndedState = Extract<JobState, { kind: 'exited' | 'ended' }>;

/**
 * Reads `<state> <outcome> <began> <ended>`.
 * @throws InvariantError for a state that the runner script does not have
 */
export function parseState(words: readonly string[]): JobState {
  const [kind, outcome = '', began = '0', ended = '0'] = words;
  if (kind === 'none') return { kind };
  if (kind === 'running') return { kind, elapsed: Number(outcome) };
  if (kind === 'exited') return { kind, status: Number(outcome), began: Number(began), ended: Number(ended) };
  if (kind === 'ended') return { kind, reason: outcome, began: Number(began), ended: Number(ended) };
  throw new InvariantError(`the job script speaks of an unknown state: ${words.join(' ')}`);
}
