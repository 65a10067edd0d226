import type { ComponentChildren, JSX } from 'preact';
import type { Operation, Step } from '../api/types.js';
import { Name, Nothing, Section, StatusMark } from '../components/elements.js';
import { failedAtOf, failedOnText, machineText, meansOf } from '../state/failing.js';
import { tookText } from '../state/took.js';
import { clock, nameOf, stepStatusOf, waitText } from '../state/words.js';

interface InspectorProps {
  step: Step | undefined;
  /** All of the operation. */
  steps: readonly Step[];
  operation: Operation;
  now: number;
  choose: (id: string) => void;
}

/** Everything about one step that the API tells. */
export function Inspector({ step, steps, operation, now, choose }: InspectorProps): JSX.Element {
  if (step === undefined)
    return (
      <Section title="Step">
        <Nothing>Choose a step, or a bar of a lane.</Nothing>
      </Section>
    );
  return (
    <Section title="Step">
      <div class="inspector">
        <h3>
          <StatusMark status={stepStatusOf(step)} /> {step.phase === 'undo' && 'undo '}
          <Name text={nameOf(step)} />
        </h3>
        {step.error !== null && <Trouble step={step} operation={operation} />}
        {step.progress !== null && step.progress !== '' && (
          <>
            <h4>Its last word</h4>
            <pre tabIndex={0}>{step.progress}</pre>
          </>
        )}
        <StepFacts step={step} took={tookText(step, steps, now)} />
        {step.dependsOn.length > 0 && (
          <>
            <h4>Comes after</h4>
            <ul class="links">
              {step.dependsOn.slice(0, 20).map((id) => (
                <li key={id}>
                  <button type="button" class="as-link" onClick={() => choose(id)}>
                    <Name text={id} />
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
        <p class="hint">What a step is given and gives is sealed, and shown to nobody.</p>
      </div>
    </Section>
  );
}

function Trouble({ step, operation }: { step: Step; operation: Operation }): JSX.Element {
  const { error } = step;
  if (error === null) return <></>;
  return (
    <div class="trouble">
      <h4>Why</h4>
      <pre tabIndex={0}>{error.detail}</pre>
      <p>
        <code>{error.code}</code> · {meansOf(error.kind)}
      </p>
      {operation.operationState === 'FAILED_TEMP' && (
        <p>The operation stands until somebody decides: the buttons above say what each does.</p>
      )}
    </div>
  );
}

/** The machine with its address; of several what the plan says, with those that are told. */
function workedOn({ target, machines, machineCount }: Step): string {
  const named = machines.map(machineText).join(', ');
  if (machineCount === 0) return target ?? '';
  if (machineCount === 1) return named;
  return `${target ?? `${machineCount} machines`}: ${named}${machineCount > machines.length ? ' and others' : ''}`;
}

function StepFacts({ step, took }: { step: Step; took: string }): JSX.Element {
  const { attempt, attemptsAllowed, startedAt, endedAt } = step;
  const facts: [string, string][] = [
    ['On', workedOn(step)],
    ['Failed on', step.machineCount > 1 && step.failedOn.length > 0 ? (failedOnText(failedAtOf(step)) ?? '') : ''],
    ['By', step.owner === null ? step.service : `${step.service} (${step.owner})`],
    ['Attempt', attempt === 0 ? '' : attemptsAllowed === null ? String(attempt) : `${attempt} of ${attemptsAllowed}`],
    ['Began', startedAt === null ? '' : clock(startedAt)],
    ['Ended', endedAt === null ? '' : clock(endedAt)],
    ['Took', took],
    ['Waits', waitText(step)],
    ['Kept out by', step.blockedOn ?? ''],
    ['Id', step.id],
    ['Action', `${step.action}, version ${step.version}`],
  ];
  return (
    <dl>
      {facts
        .filter(([, text]) => text !== '')
        .map(([name, text]) => (
          <Fact key={name} name={name}>
            <Name text={text} />
          </Fact>
        ))}
    </dl>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
