import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Operation, Step } from '../api/types.js';
import { Id, Live, Name, Nothing, Problem, Section, State } from '../components/elements.js';
import { Rows } from '../components/rows.js';
import { hrefOf } from '../state/route.js';
import { useInstanceNames } from '../state/instance-names.js';
import { stepsAsAt } from '../state/as-at.js';
import { criticalPath } from '../state/critical-path.js';
import { brokenOf, nextOf } from '../state/failing.js';
import { isFinal, OperationModel } from '../state/steps.js';
import { timeScaleOf } from '../state/time-scale.js';
import { useLive } from '../state/use-live.js';
import { tookText } from '../state/took.js';
import { durationText, moment, nameOf, onText } from '../state/words.js';
import { Failure } from './failure.js';
import { Inspector } from './inspector.js';
import { Lanes } from './lanes.js';
import { Done } from './overview.js';
import { Scrubber } from './scrubber.js';
import { StepLine } from './step-line.js';
import { Tasks } from './tasks.js';

/** One operation: what a person can do, its lanes, its steps, and one step looked at. */
export function OperationPage({ id }: { id: string }): JSX.Element {
  const { model, state, error } = useLive(
    `/windlass/v1/operations/${encodeURIComponent(id)}/events`,
    () => new OperationModel(id),
  );
  const { operation, steps } = model;
  const clock = useNow(operation !== undefined && !isFinal(operation) && operation.operationState !== 'FAILED_TEMP');
  // Of an operation that stands nothing goes on.
  const now = operation?.operationState === 'FAILED_TEMP' ? Date.parse(operation.stateEnteredTime) : clock;
  // Whoever comes because something failed sees it at once.
  const broken = brokenOf(steps);
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
          <Details operation={operation} now={now} />
          <Course operation={operation} steps={steps} broken={broken} now={now} isEnded={state === 'ended'} />
        </>
      )}
    </>
  );
}

interface CourseProps {
  operation: Operation;
  steps: readonly Step[];
  broken: Step | undefined;
  now: number;
  /** Nothing comes any more. */
  isEnded: boolean;
}

/** How it went, or goes: now, or as it was at a moment. */
function Course({ operation, steps, broken, now, isEnded }: CourseProps): JSX.Element {
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [at, setAt] = useState<number | undefined>(undefined);
  const [isFolding, setFolding] = useState(true);
  const { startTime } = operation;
  const settled = useSettled(steps, isFinal(operation) ? undefined : now);
  const scale = useMemo(() => timeScaleOf(settled, startTime, now, isFolding), [settled, startTime, now, isFolding]);
  const path = useMemo(() => criticalPath(settled), [settled]);
  const critical = useMemo(() => new Set(path.map(({ id }) => id)), [path]);
  const seen = useMemo(() => (at === undefined ? steps : stepsAsAt(steps, at)), [steps, at]);
  const shown =
    seen.find((step) => step.id === chosen) ?? (chosen === undefined ? seen.find(({ id }) => id === broken?.id) : undefined);
  const drawn = { now: at ?? now, chosen: shown?.id, choose: setChosen };
  const next = operation.operationState !== 'FAILED_TEMP' || broken?.error == null ? undefined : nextOf(broken.error);
  const inspector = useRef<HTMLDivElement>(null);
  /** From above: brings what is told of the step into sight. */
  const lookAt = (id: string): void => {
    setChosen(id);
    inspector.current?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <Failure operation={operation} step={broken} choose={lookAt}>
        <Tasks operation={operation} leadsOn={next?.leadsOn} when={next?.when} />
      </Failure>
      <Warnings operation={operation} />
      {steps.length === 0 && isFinal(operation) && isEnded && (
        <Nothing>Its steps are gone: journals of operations that have ended are kept for some time only.</Nothing>
      )}
      <Lanes
        steps={seen}
        scale={scale}
        critical={critical}
        isOver={isFinal(operation) && at === undefined}
        isPast={at !== undefined}
        isFolding={isFolding}
        setFolding={setFolding}
        {...drawn}
      >
        <Scrubber scale={scale} at={at} set={setAt} />
      </Lanes>
      <Longest path={path} now={now} choose={lookAt} />
      <div class="split" ref={inspector}>
        <Steps steps={seen} critical={critical} {...drawn} />
        <Inspector step={shown} steps={seen} operation={operation} {...drawn} />
      </div>
    </>
  );
}

/** Steps from which on a list is long: what is made of all of them takes a tenth of a second for 20,000. */
const LONG = 2_000;

/** The steps; of a long list those of the last second, so that news, which come eight times a second, leave time to scroll. */
function useSettled(steps: readonly Step[], second: number | undefined): readonly Step[] {
  const kept = useRef({ second, steps });
  if (steps.length <= LONG || second === undefined || kept.current.second !== second) kept.current = { second, steps };
  return kept.current.steps;
}

/** Steps of the critical path that are named: those that took longest. */
const NAMED = 3;

/** What would make the operation shorter. */
function Longest({
  path,
  now,
  choose,
}: {
  path: readonly Step[];
  now: number;
  choose: (id: string) => void;
}): JSX.Element | null {
  if (path.length < 2) return null;
  const took = (step: Step): number =>
    (step.endedAt === null ? now : Date.parse(step.endedAt)) - Date.parse(step.startedAt ?? step.endedAt ?? '');
  const longest = path.toSorted((one, other) => took(other) - took(one)).slice(0, NAMED);
  return (
    <p class="hint">
      Critical path: {path.length} steps, each waited for by the next. The longest of them:{' '}
      {longest.map((step, at) => (
        <span key={step.id}>
          {at > 0 && ', '}
          <button type="button" class="as-link" onClick={() => choose(step.id)}>
            <Name text={`${nameOf(step)}${onText(step) === '' ? '' : ` on ${onText(step)}`}`} />
          </button>{' '}
          {durationText(took(step))}
        </span>
      ))}
    </p>
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

function Details({ operation, now }: { operation: Operation; now: number }): JSX.Element {
  const { vnfInstanceId, startTime, stateEnteredTime, operationState, isCancelPending } = operation;
  const names = useInstanceNames([vnfInstanceId]);
  const stands = isFinal(operation) || operationState === 'FAILED_TEMP';
  return (
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
  );
}

/** What is no error, below what is one. */
const Warnings = ({ operation: { warnings = [] } }: { operation: Operation }): JSX.Element => (
  <>
    {warnings.map((warning) => (
      <p key={warning} class="note">
        <Name text={warning} />
      </p>
    ))}
  </>
);

interface StepsProps {
  steps: readonly Step[];
  critical: ReadonlySet<string>;
  now: number;
  chosen: string | undefined;
  choose: (id: string) => void;
}

/** Pixels of a step's line. */
const LINE = 30;

function Steps({ steps, critical, now, chosen, choose }: StepsProps): JSX.Element {
  return (
    <Section title={`Steps (${steps.length})`}>
      <Rows
        label="Steps, as a tree"
        count={steps.length}
        height={LINE}
        shows={chosen === undefined ? undefined : steps.findIndex(({ id }) => id === chosen)}
        row={(at) => {
          const step = steps[at];
          if (step === undefined) return null;
          return (
            <StepLine
              step={step}
              took={tookText(step, steps, now)}
              isChosen={step.id === chosen}
              isCritical={critical.has(step.id)}
              choose={choose}
            />
          );
        }}
      />
    </Section>
  );
}
