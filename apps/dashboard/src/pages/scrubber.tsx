import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { placeOf, timeAt, type TimeScale } from '../state/time-scale.js';
import { clock, durationText } from '../state/words.js';

/** Places of the slider: a thousandth of the width each. */
const PLACES = 1_000;

interface ScrubberProps {
  scale: TimeScale;
  /** The moment that is shown, in milliseconds since the epoch; undefined for the present. */
  at: number | undefined;
  set: (at: number | undefined) => void;
}

/** Leads through the operation's past: the page shows it as it was at the moment that is chosen. */
export function Scrubber({ scale, at, set }: ScrubberProps): JSX.Element {
  const id = useId();
  const shown = at ?? scale.until;
  const { moments } = scale;
  // As it is now, it has been since the last event: one back is before that.
  const since = at ?? moments.at(-1) ?? shown;
  const before = moments.findLast((moment) => moment < since);
  const after = at === undefined ? undefined : moments.find((moment) => moment > shown);
  const words =
    at === undefined
      ? 'as it is now'
      : `as it was at ${clock(new Date(at).toISOString())}, ${durationText(at - scale.from)} after its beginning`;
  return (
    <div class="scrubber">
      <span class="label">
        <label for={id}>Shown</label>
        <button
          type="button"
          class="quiet"
          disabled={before === undefined}
          aria-label="One event back"
          onClick={() => set(before)}
        >
          ◂
        </button>
        <button type="button" class="quiet" disabled={at === undefined} aria-label="One event on" onClick={() => set(after)}>
          ▸
        </button>
        <button type="button" class="quiet" disabled={at === undefined} onClick={() => set(undefined)}>
          Now
        </button>
      </span>
      <span>
        <input
          id={id}
          type="range"
          min={0}
          max={PLACES}
          value={at === undefined ? PLACES : Math.round((placeOf(scale, at) * PLACES) / 100)}
          aria-valuetext={words}
          onInput={({ currentTarget: { valueAsNumber } }) =>
            set(valueAsNumber >= PLACES ? undefined : timeAt(scale, (valueAsNumber * 100) / PLACES))
          }
        />
        <output for={id} class={at === undefined ? 'hint' : 'past'}>
          {words}
          {at !== undefined && ': by the times that are kept, the last of each step'}
        </output>
      </span>
    </div>
  );
}
