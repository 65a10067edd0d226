import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Operation, Step } from '../api/types.js';
import { Id, Live, Name, Nothing, Problem, Section, State } from '../parts/parts.js';
import { Rows } from '../parts/rows.js';
import { hrefOf } from '../state/route.js';
import { useInstanceNames } from '../state/instance-names.js';
import { isFinal, OperationModel } from '../state/steps.js';
import { useLive } from '../state/use-live.js';
import { durationText, moment } from '../state/words.js';
import { Inspector } from './inspector.js';
import { Lanes } from './lanes.js';
import { Done } from './overview.js';
import { StepLine } from './step-line.js';
import { Tasks } from './tasks.js';

/** One operation: what a person can do, its lanes, its steps, and one step looked at. */
export function OperationPage({ id }: { id: string }): JSX.Element {
  const { model, state, error } = useLive(
    `/windlass/v1/operations/${encodeURIComponent(id)}/events`,
    () => new OperationModel(id),
  );
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const { operation, steps } = model;
  const now = useNow(operation !== undefined && !isFinal(operation));
  // Whoever comes because something failed sees it at once.
  const broken =
    steps.find((step) => step.state === 'failed' && step.action !== 'ask-driver') ??
    steps.find((step) => step.state === 'failed');
  const shown = steps.find((step) => step.id === chosen) ?? (chosen === undefined ? broken : undefined);
  return (
    <>
      <div class="heading">
        <h1>{operation?.operation ?? 'Operation'}</h1>
        {operation !== undefined && <State state={operation.operationState} />}
        <Live state={state} />
      </div>
      <Problem error={error} />
      {operation !== undefined && (
        <>
          <Facts operation={operation} now={now} />
          <Tasks operation={operation} />
          {steps.length === 0 && isFinal(operation) && state === 'ended' && (
            <Nothing>Its steps are gone: journals of operations that have ended are kept for some time only.</Nothing>
          )}
          <Lanes
            steps={steps}
            startTime={operation.startTime}
            isOver={isFinal(operation)}
            now={now}
            chosen={shown?.id}
            choose={setChosen}
          />
          <div class="split">
            <Steps steps={steps} now={now} chosen={shown?.id} choose={setChosen} />
            <Inspector step={shown} operation={operation} now={now} choose={setChosen} />
          </div>
        </>
      )}
    </>
  );
}

/** The time, once a second while something runs. */
function useNow(runs: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!runs) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}

function Facts({ operation, now }: { operation: Operation; now: number }): JSX.Element {
  const { vnfInstanceId, startTime, stateEnteredTime, operationState, warnings = [], isCancelPending, error } = operation;
  const names = useInstanceNames([vnfInstanceId]);
  const stands = isFinal(operation) || operationState === 'FAILED_TEMP';
  return (
    <>
      <p class="facts">
        <span>
          of{' '}
          <a href={hrefOf('instances', vnfInstanceId)}>
            <Name text={names.get(vnfInstanceId) ?? vnfInstanceId} />
          </a>
        </span>
        <span>begun {moment(startTime)}</span>
        <span>{durationText((stands ? Date.parse(stateEnteredTime) : now) - Date.parse(startTime))}</span>
        <Done operation={operation} />
        <Id id={operation.id} />
        {isCancelPending && <strong>cancel pending</strong>}
      </p>
      {warnings.map((warning) => (
        <p key={warning} class="note">
          <Name text={warning} />
        </p>
      ))}
      {error?.detail !== undefined && (
        <p class="problem">
          <strong>{error.code ?? error.title ?? 'Error'}</strong> <span class="text">{error.detail}</span>
        </p>
      )}
    </>
  );
}

interface StepsProps {
  steps: readonly Step[];
  now: number;
  chosen: string | undefined;
  choose: (id: string) => void;
}

/** Pixels of a step's line. */
const LINE = 30;

function Steps({ steps, now, chosen, choose }: StepsProps): JSX.Element {
  return (
    <Section title={`Steps (${steps.length})`}>
      <Rows
        label="Steps, as a tree"
        count={steps.length}
        height={LINE}
        shows={chosen === undefined ? undefined : steps.findIndex(({ id }) => id === chosen)}
        row={(at) => {
          const step = steps[at];
          return step === undefined ? null : <StepLine step={step} now={now} isChosen={step.id === chosen} choose={choose} />;
        }}
      />
    </Section>
  );
}
