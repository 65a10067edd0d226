import type { Operation, Step } from '../api/types.js';
import { tellingLine } from './telling-line.js';
import { nameOf, type TaskName } from './words.js';

export type Machine = Step['machines'][number];
export type StepError = NonNullable<Step['error']>;

/** A failed step, or what an operation says of it. */
export type FailedAt = Pick<Step, 'target' | 'machineCount'> & { machines: readonly Machine[] };

export const failedAtOf = ({ target, machineCount, failedOn }: Step): FailedAt => ({ target, machineCount, machines: failedOn });

/** `worker11 (10.0.0.11)`. */
export const machineText = ({ name, address }: Machine): string =>
  address === null || address === name ? name : `${name} (${address})`;

/** Machines that are named in a line. */
const NAMED = 3;

/** On what a step failed: the machines, of how many; else its target. Undefined for a step of neither. */
export function failedOnText({ target, machines, machineCount }: FailedAt): string | undefined {
  if (machines.length === 0) return target === null || target === '' ? undefined : target;
  const named = machines.slice(0, NAMED).map(machineText).join(', ');
  const more = machines.length > NAMED ? ' and others' : '';
  return machineCount > 1 ? `${named}${more}: ${machines.length} of ${machineCount} nodes` : named;
}

/** `inspect-nodes failed on worker11 (10.0.0.11): 1 of 3 nodes`, from what an operation says. */
export function failureText({ action, stepId, ...at }: NonNullable<Operation['failure']>): string {
  const on = action === 'ask-driver' ? undefined : failedOnText(at);
  return `${nameOf({ action, id: stepId, target: at.target })} failed${on === undefined ? '' : ` on ${on}`}`;
}

interface Differs {
  expected: string;
  got: string;
}

/** What happened, apart from what is to be done about it. */
export interface Cause {
  /** What happened: the line that tells it. */
  says: string;
  /** The two that should have been alike. */
  differs?: Differs;
  /** What else is told. */
  more?: string;
}

/** Two things that should be alike, as errors of this API write them: `..., expected A, got B. More`. */
const DIFFERS = /^(.+?)[:,;]? expected (.+?), got (.+?)(?:\. (.+?))?\.?$/;

/** Characters that are drawn of each: more than of a name, it is what one came for. The whole error stands with its step. */
const DRAWN = 600;

/** The cause in an error: without the remedy that its text ends with; of several lines the one that tells. */
export function causeOf({ detail, remedy }: { detail: string; remedy?: { says: string } }): Cause {
  const text = remedy !== undefined && detail.endsWith(remedy.says) ? detail.slice(0, -remedy.says.length).trim() : detail;
  const line = tellingLine(text);
  const [, says, expected, got, more] = line.length > 4 * DRAWN ? [] : (DIFFERS.exec(line) ?? []);
  if (says === undefined || expected === undefined || got === undefined) return { says: line.slice(0, DRAWN) };
  return { says: says.slice(0, DRAWN), differs: { expected, got }, ...(more === undefined ? {} : { more: `${more}.` }) };
}

/** The cause of an operation's error in a line. */
export function causeText({ error }: Pick<Operation, 'error'>): string {
  if (error?.detail === undefined) return error?.code ?? error?.title ?? '';
  const { detail, remedy } = error;
  const { says, differs } = causeOf({ detail, ...(remedy === undefined ? {} : { remedy }) });
  return differs === undefined || isOfKeys(differs) ? says : `${says}: expected ${differs.expected}, got ${differs.got}`;
}

/** Fingerprints: nobody reads two hashes in a line. */
const isOfKeys = ({ expected, got }: Differs): boolean => [expected, got].some((each) => /\bSHA256:\S{20}/.test(each));

/** What to do first, and what leads on after that: undefined where the error does not tell. */
export interface Next {
  says: string;
  leadsOn: TaskName | undefined;
  /** When that leads on, where it does not always. */
  when?: string;
}

/** What kinds of errors mean, and what a person does first. */
const KINDS: Readonly<Record<string, { means: string; next: Next }>> = {
  transient: {
    means: 'It may pass by itself: the step was tried again by its policy, and failed each time.',
    next: { says: 'Look whether what the line names is there again. Then retry.', leadsOn: 'retry' },
  },
  terminal: {
    means: 'It does not pass by itself.',
    next: {
      says: 'Mend what the line names, then retry. If that cannot be mended from outside (the package, the request), roll back.',
      leadsOn: undefined,
    },
  },
  invariant: {
    means: 'A defect of Windlass or of a driver.',
    next: { says: 'Keep the log of its service before you retry or roll back.', leadsOn: undefined },
  },
  request: {
    means: 'The request can’t be carried out so.',
    next: { says: 'Roll back, and ask again with what the line names mended.', leadsOn: 'rollback' },
  },
  cancelled: {
    means: 'It was stopped because somebody cancelled the operation.',
    next: { says: 'Retry to go on where it was stopped, or roll back.', leadsOn: undefined },
  },
};

/** What the kind of an error means. */
export const meansOf = (kind: string): string => KINDS[kind]?.means ?? kind;

export const nextOf = ({ kind, remedy }: Pick<StepError, 'kind' | 'remedy'>): Next | undefined =>
  remedy === undefined ? KINDS[kind]?.next : remedy;

/** The numbered lines of a remedy without their numbers; undefined where they are not numbered from 1 on. */
export function numberedOf(text: string): string[] | undefined {
  const lines = text.split('\n');
  const isNumbered = lines.length > 1 && lines.every((line, at) => line.startsWith(`${at + 1}. `));
  return isNumbered ? lines.map((line) => line.slice(line.indexOf(' ') + 1)) : undefined;
}

/** Each sentence by itself. */
export const sentencesOf = (text: string): string[] =>
  text.split(/(?<=\.)\s+(?=[A-Z])/).map((sentence) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`));

/** Offered tasks, what leads on first. Only that is to catch the eye. */
export const inOrder = (offered: readonly TaskName[], leadsOn: TaskName | undefined): TaskName[] =>
  leadsOn === undefined || !offered.includes(leadsOn) ? [...offered] : [leadsOn, ...offered.filter((name) => name !== leadsOn)];

/** The step that a person looks for: the first that failed; one that asked a driver only where no step of its plan did. */
export const brokenOf = (steps: readonly Step[]): Step | undefined =>
  steps.find((step) => step.state === 'failed' && step.action !== 'ask-driver') ?? steps.find((step) => step.state === 'failed');
