import { waitText as waitTextOf } from '@windlass/foundation/wait-text';
import type { Step } from '../api/types.js';

/** How a step stands, for people: `ready` and `running` of the API told further apart. */
export type StepStatus =
  'done' | 'undone' | 'running' | 'claimed' | 'retrying' | 'undoing' | 'ready' | 'waiting' | 'failed' | 'expanded';

/** A sign and a word for each: nothing is told by colour alone. */
export const SIGNS: Readonly<Record<StepStatus, { sign: string; word: string }>> = {
  done: { sign: '✔', word: 'done' },
  undone: { sign: '↶', word: 'undone' },
  running: { sign: '▸', word: 'running' },
  claimed: { sign: '▹', word: 'claimed' },
  retrying: { sign: '↻', word: 'retrying' },
  undoing: { sign: '↩', word: 'undoing' },
  ready: { sign: '◦', word: 'could run' },
  waiting: { sign: '·', word: 'waiting' },
  failed: { sign: '✘', word: 'failed' },
  expanded: { sign: '▾', word: 'became a plan' },
};

/** A plan that became steps stands as they do: the API says `expanded` until all are done. */
export function stepStatusOf({
  state,
  phase,
  attempt,
  error,
  progress,
}: Pick<Step, 'state' | 'phase' | 'attempt' | 'error' | 'progress'>): StepStatus {
  if (state === 'done') return phase === 'undo' ? 'undone' : 'done';
  if (state === 'failed' || state === 'expanded') return state;
  if (state === 'running') {
    if (phase === 'undo') return 'undoing';
    if (attempt > 1) return 'retrying';
    return progress === null ? 'claimed' : 'running';
  }
  if (state === 'ready' && error !== null) return 'retrying';
  return state === 'ready' ? 'ready' : 'waiting';
}

/** What it is called: as in the tree of the command line. */
export const nameOf = ({ action, id, target }: Pick<Step, 'action' | 'id' | 'target'>): string =>
  action === 'ask-driver' ? `${id}: plan of ${target ?? 'a driver'}` : action;

/** What it works on: the machine's name where it is one, else what the plan says. */
export const onText = ({ target, machines, machineCount }: Pick<Step, 'target' | 'machines' | 'machineCount'>): string =>
  (machineCount === 1 ? machines[0]?.name : undefined) ?? target ?? '';

/** Why a step does not run, with the time of day here. */
export const waitText = (step: Pick<Step, 'waitsFor' | 'action' | 'version'>): string => waitTextOf(step, clock);

/** What a person can do about an operation: in a line what each does, and what else is to be known before it is asked for. The words of docs/guides/watching-operations.md and SOL003 5.4.14 to 5.4.17. */
export const TASKS = {
  retry: {
    label: 'Retry',
    says: 'Goes on at the steps that failed. Mend the cause first.',
    more: 'What is done stays done. The same fault fails again.',
  },
  rollback: {
    label: 'Roll back',
    says: 'Undoes what was done.',
    more: 'The last step first, until everything is as it was before the operation.',
  },
  fail: {
    label: 'Fail',
    says: 'Ends it as FAILED: no retry, no rollback after that.',
    more: 'Everything is left as it is. What it made and is not needed stays on record, and is removed by a clean-up or the next operation.',
  },
  cancel: {
    label: 'Cancel',
    says: 'Lets the steps that run come to their end, and begins no others.',
    more: 'The operation stands as FAILED_TEMP then, and waits for a decision.',
  },
} as const;

export type TaskName = keyof typeof TASKS;

/** `3 min 5 s`; below a minute with a tenth. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}

/** The time of day here. */
export const clock = (time: string): string => new Date(time).toLocaleTimeString('en-GB');

/** Day and time here. */
export const moment = (time: string): string => new Date(time).toLocaleString('en-GB');

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `1.5 MiB`. */
export function sizeText(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${unit === 0 ? bytes : (bytes / 1024 ** unit).toFixed(1)} ${UNITS[unit] ?? ''}`;
}
