import type { JSX } from 'preact';
import type { Step } from '../api/types.js';
import { Name, StatusMark } from '../components/elements.js';
import { nameOf, onText, stepStatusOf, waitText } from '../state/words.js';

/** Levels of the tree that are indented; what is deeper stands below the last. */
const DEEPEST = 6;

interface StepLineProps {
  step: Step;
  /** How long. */
  took: string;
  isChosen: boolean;
  isCritical: boolean;
  choose: (id: string) => void;
}

/** A step in one line, as the command line's tree has it. */
export function StepLine({ step, took, isChosen, isCritical, choose }: StepLineProps): JSX.Element {
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`row step depth-${Math.min(step.depth, DEEPEST)}`}
      aria-pressed={isChosen}
      onClick={() => choose(step.id)}
    >
      <StatusMark status={stepStatusOf(step)} isShort />
      <span class="what">
        {step.phase === 'undo' && 'undo '}
        <Name text={nameOf(step)} />
        {isCritical && (
          <span class="on-path" title="on the critical path">
            <span aria-hidden="true">◆</span>
            <span class="unseen"> on the critical path</span>
          </span>
        )}
      </span>
      {step.action !== 'ask-driver' && onText(step) !== '' && (
        <span class="on">
          <Name text={onText(step)} />
        </span>
      )}
      <span class="took">{took}</span>
      <span class="says">
        <Name text={saysOf(step)} />
      </span>
    </button>
  );
}

/** The line that says most of it: its error, its last word, or what it waits for. */
export function saysOf(step: Step): string {
  if (step.error !== null && step.state !== 'done') return step.error.detail;
  if (step.state === 'running' && step.progress !== null) return step.progress;
  return waitText(step);
}
