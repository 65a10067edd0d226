import { InvariantError } from '@windlass/foundation';
import { quoted } from '../output/said-too-much.js';
import { countOf } from '../runner/counts.js';

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
 * @param host as errors name it
 * @throws InvariantError for a state that the runner script does not have; TerminalError `remote.bad-answer` for what is no number
 */
export function parseState(host: string, words: readonly string[]): JobState {
  const count = (word: string): number => countOf(host, word);
  const [kind, outcome = '', began = '0', ended = '0'] = words;
  if (kind === 'none') return { kind };
  if (kind === 'running') return { kind, elapsed: count(outcome) };
  if (kind === 'exited') return { kind, status: count(outcome), began: count(began), ended: count(ended) };
  if (kind === 'ended') return { kind, reason: quoted(outcome, 100), began: count(began), ended: count(ended) };
  throw new InvariantError(`the job script on ${host} speaks of an unknown state: ${quoted(words.join(' '))}`);
}
