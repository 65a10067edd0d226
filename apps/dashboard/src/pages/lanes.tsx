import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Step } from '../api/types.js';
import { Name, Section, StatusMark } from '../components/elements.js';
import { Rows } from '../components/rows.js';
import { barOf, lanesOf, type Lane } from '../state/lanes.js';
import { placeOf, timeAt, type TimeScale } from '../state/time-scale.js';
import { tookText } from '../state/took.js';
import { durationText, nameOf, SIGNS, stepStatusOf, type StepStatus } from '../state/words.js';

interface LanesProps {
  steps: readonly Step[];
  scale: TimeScale;
  /** Ids of the steps of the critical path. */
  critical: ReadonlySet<string>;
  /** Nothing comes any more. */
  isOver: boolean;
  /** The moment that is shown. */
  now: number;
  /** It is one of the past. */
  isPast: boolean;
  isFolding: boolean;
  setFolding: (isFolding: boolean) => void;
  chosen: string | undefined;
  choose: (id: string) => void;
  /** What stands between the axis and the lanes. */
  children: ComponentChildren;
}

const LANE = 30;
/** Bars that are drawn on one lane; the list of steps has all. */
const BARS = 300;

/** Swim lanes: a line for each node or resource, along the time. */
export function Lanes({ steps, isFolding, setFolding, children, ...drawn }: LanesProps): JSX.Element {
  const { scale, critical } = drawn;
  const [areAlikeOne, setAlike] = useState(true);
  const lanes = useMemo(() => lanesOf(steps, areAlikeOne), [steps, areAlikeOne]);
  return (
    <Section
      title="Lanes"
      aside={
        <span class="toggles">
          <Toggle label="long waits folded" checked={isFolding} set={setFolding} />
          <Toggle label="alike lanes as one" checked={areAlikeOne} set={setAlike} />
        </span>
      }
    >
      <Legend hasPath={critical.size > 0} />
      <Axis scale={scale} />
      {children}
      <div class="lanes">
        <Rows
          label="Lanes: what happened on each node or resource"
          count={lanes.length}
          height={LANE}
          row={(at) => {
            const lane = lanes[at];
            return lane === undefined ? null : <LaneLine lane={lane} {...drawn} />;
          }}
        />
      </div>
    </Section>
  );
}

const Toggle = ({ label, checked, set }: { label: string; checked: boolean; set: (checked: boolean) => void }): JSX.Element => (
  <label class="toggle">
    <input type="checkbox" checked={checked} onChange={(event) => set(event.currentTarget.checked)} /> {label}
  </label>
);

const LEGEND: readonly StepStatus[] = ['done', 'running', 'claimed', 'retrying', 'undoing', 'undone', 'failed', 'waiting'];

const Legend = ({ hasPath }: { hasPath: boolean }): JSX.Element => (
  <p class="legend">
    {LEGEND.map((status) => (
      <StatusMark key={status} status={status} />
    ))}
    {hasPath && (
      <span>
        <span class="bar done critical sample" aria-hidden="true" /> on the critical path
      </span>
    )}
  </p>
);

/** Percent that two marks of the axis are apart at least. */
const APART = 9;

/** Times along the lanes; what is folded says how long it was. */
function Axis({ scale }: { scale: TimeScale }): JSX.Element {
  const folds = scale.stretches.filter(({ isFolded }) => isFolded);
  const marks = [0, 20, 40, 60, 80, 100].filter((place) =>
    folds.every(({ left, width }) => Math.abs(place - (left + width / 2)) > APART),
  );
  return (
    <div class="axis" aria-hidden="true">
      {marks.map((place) => (
        <span key={`mark ${place}`} style={{ left: `${place}%` }}>
          {durationText(timeAt(scale, place) - scale.from)}
        </span>
      ))}
      {folds.map(({ from, until, left, width }) => (
        <span key={`fold ${from}`} class="folded" style={{ left: `${left + width / 2}%` }}>
          ⋯ {durationText(until - from)}
        </span>
      ))}
    </div>
  );
}

type LaneLineProps = Omit<LanesProps, 'steps' | 'isFolding' | 'setFolding' | 'children'> & { lane: Lane };

function LaneLine({
  lane: { names, address, steps },
  scale,
  critical,
  isOver,
  now,
  isPast,
  chosen,
  choose,
}: LaneLineProps): JSX.Element {
  const [name = ''] = names;
  const waiting = steps.filter(({ startedAt, state }) => startedAt === null && state !== 'done').length;
  return (
    <div class="lane">
      <span class="label" title={names.slice(0, 50).join(', ').slice(0, 2_000)}>
        <Name text={name} />
        {address !== null && address !== name && <span class="hint"> {address}</span>}
        {names.length > 1 && <span class="hint"> and {names.length - 1} alike</span>}
      </span>
      <span class="track">
        <Folds scale={scale} />
        {steps.slice(-BARS).map((step) => {
          const bar = barOf(step, scale, now);
          if (bar === undefined) return null;
          const status = stepStatusOf(step);
          const isCritical = critical.has(step.id);
          const words = `${nameOf(step)} on ${name.slice(0, 100)}: ${SIGNS[status].word}, ${tookText(step, [], now)}${isCritical ? ', on the critical path' : ''}`;
          return (
            <button
              key={step.id}
              type="button"
              class={`bar ${status}${isCritical ? ' critical' : ''}`}
              style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
              title={words}
              aria-label={words}
              aria-pressed={step.id === chosen}
              onClick={() => choose(step.id)}
            >
              <span aria-hidden="true">{SIGNS[status].sign}</span>
            </button>
          );
        })}
        {isPast && <span class="moment" style={{ left: `${placeOf(scale, now)}%` }} />}
      </span>
      <span class="waiting">{waiting > 0 && !isOver ? `${waiting} to come` : ''}</span>
    </div>
  );
}

const Folds = ({ scale: { stretches } }: { scale: TimeScale }): JSX.Element => (
  <>
    {stretches
      .filter(({ isFolded }) => isFolded)
      .map(({ from, until, left, width, isBusy }) => (
        <span
          key={from}
          class="fold"
          title={`${durationText(until - from)} in which nothing began or ended${isBusy ? '' : ', and nothing ran'}`}
          style={{ left: `${left}%`, width: `${width}%` }}
        />
      ))}
  </>
);
