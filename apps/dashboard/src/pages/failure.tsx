import type { JSX } from 'preact';
import type { Operation, Step } from '../api/types.js';
import { Name } from '../parts/parts.js';
import { tellingLine } from '../state/telling-line.js';
import { nameOf } from '../state/words.js';

/** What kinds of errors mean for whoever decides. */
export const KINDS: Readonly<Record<string, string>> = {
  transient: 'It may pass by itself: the step is tried again by its policy.',
  terminal: 'It does not pass by itself. Mend what the error names, then retry; or roll back.',
  invariant: 'A defect of Windlass or of a driver. Keep the log of its service before you retry or roll back.',
  request: 'The request can’t be carried out so. Roll back, and ask again with what the error names mended.',
  cancelled: 'It was stopped because somebody cancelled the operation.',
};

/** Characters of the line that says why: more than of a name, it is what one came for. The whole error stands with its step. */
const DRAWN = 600;

interface FailureProps {
  operation: Operation;
  /** The step that failed. */
  step: Step | undefined;
  choose: (id: string) => void;
}

/** Where an operation broke, the line that says why, and what it means: what one looks for first. */
export function Failure({ operation: { error }, step, choose }: FailureProps): JSX.Element | null {
  if (step?.error == null) {
    if (error?.detail === undefined) return null;
    return (
      <p class="problem">
        <strong>{error.code ?? error.title ?? 'Error'}</strong> <span class="text">{error.detail}</span>
      </p>
    );
  }
  return (
    <div class="failure">
      <p class="where">
        <span aria-hidden="true">✘ </span>
        <button type="button" class="as-link" onClick={() => choose(step.id)}>
          <Name text={nameOf(step)} />
        </button>{' '}
        failed
        {step.action !== 'ask-driver' && step.target !== null && step.target !== '' && (
          <>
            {' '}
            on{' '}
            <strong>
              <Name text={step.target} />
            </strong>
          </>
        )}
        {step.attempt > 1 && ` at attempt ${step.attempt}`}
      </p>
      <p class="line">
        <bdi class="name">{tellingLine(step.error.detail).slice(0, DRAWN)}</bdi>
      </p>
      <p class="means">
        {KINDS[step.error.kind] ?? step.error.kind} <code>{step.error.code}</code>
      </p>
    </div>
  );
}
