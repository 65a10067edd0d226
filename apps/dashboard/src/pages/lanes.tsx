import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Step } from '../api/types.js';
import { Name, Section, Stands } from '../parts/parts.js';
import { Rows } from '../parts/rows.js';
import { barOf, lanesOf, spanOf, type Lane, type Span } from '../state/lanes.js';
import { durationText, nameOf, SIGNS, standingOf, type Standing } from '../state/words.js';
import { tookText } from './step-line.js';

interface LanesProps {
  steps: readonly Step[];
  startTime: string;
  /** Nothing comes any more. */
  isOver: boolean;
  now: number;
  chosen: string | undefined;
  choose: (id: string) => void;
}

const LANE = 30;
/** Bars that are drawn on one lane; the list of steps has all. */
const BARS = 300;

/** Swim lanes: a line for each node or resource, along the time. */
export function Lanes({ steps, startTime, isOver, now, chosen, choose }: LanesProps): JSX.Element {
  const [areAlikeOne, setAlike] = useState(true);
  const lanes = useMemo(() => lanesOf(steps, areAlikeOne), [steps, areAlikeOne]);
  const span = spanOf(steps, startTime, now);
  return (
    <Section
      title="Lanes"
      aside={
        <label class="toggle">
          <input type="checkbox" checked={areAlikeOne} onChange={(event) => setAlike(event.currentTarget.checked)} /> alike lanes
          as one
        </label>
      }
    >
      <Legend />
      <div class="axis" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <span key={part}>{durationText((span.until - span.from) * part)}</span>
        ))}
      </div>
      <div class="lanes">
        <Rows
          label="Lanes: what happened on each node or resource"
          count={lanes.length}
          height={LANE}
          row={(at) => {
            const lane = lanes[at];
            return lane === undefined ? null : (
              <LaneLine lane={lane} span={span} isOver={isOver} now={now} chosen={chosen} choose={choose} />
            );
          }}
        />
      </div>
    </Section>
  );
}

const TOLD: readonly Standing[] = ['done', 'running', 'claimed', 'retrying', 'undoing', 'undone', 'failed', 'waiting'];

const Legend = (): JSX.Element => (
  <p class="legend">
    {TOLD.map((standing) => (
      <Stands key={standing} standing={standing} />
    ))}
  </p>
);

interface LaneLineProps {
  lane: Lane;
  span: Span;
  isOver: boolean;
  now: number;
  chosen: string | undefined;
  choose: (id: string) => void;
}

function LaneLine({ lane: { names, steps }, span, isOver, now, chosen, choose }: LaneLineProps): JSX.Element {
  const [name = ''] = names;
  const waiting = steps.filter(({ startedAt, state }) => startedAt === null && state !== 'done').length;
  return (
    <div class="lane">
      <span class="label" title={names.slice(0, 50).join(', ').slice(0, 2_000)}>
        <Name text={name} />
        {names.length > 1 && <span class="hint"> and {names.length - 1} alike</span>}
      </span>
      <span class="track">
        {steps.slice(-BARS).map((step) => {
          const bar = barOf(step, span, now);
          if (bar === undefined) return null;
          const standing = standingOf(step);
          const words = `${nameOf(step)} on ${name.slice(0, 100)}: ${SIGNS[standing].word}, ${tookText(step, now)}`;
          return (
            <button
              key={step.id}
              type="button"
              class={`bar ${standing}`}
              style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
              title={words}
              aria-label={words}
              aria-pressed={step.id === chosen}
              onClick={() => choose(step.id)}
            >
              <span aria-hidden="true">{SIGNS[standing].sign}</span>
            </button>
          );
        })}
      </span>
      <span class="waiting">{waiting > 0 && !isOver ? `${waiting} to come` : ''}</span>
    </div>
  );
}
