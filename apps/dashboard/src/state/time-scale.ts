import type { Step } from '../api/types.js';

/** A stretch of time and the place that it has, in percent of the whole width. Milliseconds since the epoch. */
export interface Stretch {
  from: number;
  until: number;
  left: number;
  width: number;
  /** Drawn far shorter than it was: nothing began and nothing ended in it. */
  isFolded: boolean;
  /** Whether a step ran meanwhile. */
  isBusy: boolean;
}

/** Where moments lie on a line on which long waits are folded. */
export interface TimeScale {
  from: number;
  until: number;
  stretches: readonly Stretch[];
  /** Moments at which a step began or ended, in order, each once. */
  moments: readonly number[];
}

/** A wait is folded that is longer than this part of the whole, and than so many milliseconds. */
const FOLDED_OVER = 1 / 12;
const FOLDED_OVER_MS = 10_000;
/** Percent of the width that a folded wait has: room for a word. There are 11 at most, since each is longer than a twelfth. */
const FOLD = 6;

/** The line along which an operation's steps are drawn: from its beginning to the last that happened, or now while something runs. */
export function timeScaleOf(steps: readonly Step[], startTime: string, now: number, isFolding: boolean): TimeScale {
  const from = Date.parse(startTime);
  const spans = steps.flatMap((step) => spanOf(step, from, now));
  const until = Math.max(from + 1_000, ...maximum(spans));
  const moments = [...new Set(spans.flatMap(([begin, end]) => [begin, end]))]
    .filter((each) => each <= until)
    .sort((a, b) => a - b);
  const marks = [...new Set([from, ...moments, until])].sort((a, b) => a - b);
  return {
    from,
    until,
    moments,
    stretches: placed(stretchesOf(marks, spans, isFolding ? (until - from) * FOLDED_OVER : Infinity)),
  };
}

/** Of hooks only the beginning counts: their time is that of the plan that they became. */
function spanOf({ startedAt, endedAt, action }: Step, from: number, now: number): [number, number][] {
  if (startedAt === null || action === 'ask-driver') return [];
  const begin = Math.max(from, Date.parse(startedAt));
  return [[begin, Math.max(begin, endedAt === null ? now : Date.parse(endedAt))]];
}

/** Not by spreading: 20,000 arguments are too many for some browsers. */
const maximum = (spans: readonly [number, number][]): number[] =>
  spans.length === 0 ? [] : [spans.reduce((most, [, end]) => Math.max(most, end), 0)];

type Unplaced = Omit<Stretch, 'left' | 'width'>;

/** Neighbours that are not folded are one stretch. */
function stretchesOf(marks: readonly number[], spans: readonly [number, number][], limit: number): Unplaced[] {
  const begins = spans.map(([begin]) => begin).sort((a, b) => a - b);
  const ends = spans.map(([, end]) => end).sort((a, b) => a - b);
  const stretches: Unplaced[] = [];
  let [begun, ended] = [0, 0];
  for (let at = 1; at < marks.length; at++) {
    const [from = 0, until = 0] = [marks[at - 1], marks[at]];
    while ((begins[begun] ?? Infinity) <= from) begun++;
    while ((ends[ended] ?? Infinity) <= from) ended++;
    const isFolded = until - from > Math.max(limit, FOLDED_OVER_MS);
    const last = stretches.at(-1);
    if (last !== undefined && !last.isFolded && !isFolded) last.until = until;
    else stretches.push({ from, until, isFolded, isBusy: begun > ended });
  }
  return stretches;
}

function placed(stretches: readonly Unplaced[]): Stretch[] {
  const folded = stretches.filter(({ isFolded }) => isFolded).length;
  const open = stretches.reduce((sum, { isFolded, from, until }) => sum + (isFolded ? 0 : until - from), 0);
  const foldWidth = open === 0 ? 100 / Math.max(1, folded) : FOLD;
  let left = 0;
  return stretches.map((stretch) => {
    const width = stretch.isFolded ? foldWidth : ((stretch.until - stretch.from) / open) * (100 - folded * foldWidth);
    const own = { ...stretch, left, width };
    left += width;
    return own;
  });
}

/** Where a moment lies, in percent; what is beyond an end lies at it. */
export function placeOf({ stretches, from }: TimeScale, time: number): number {
  if (time <= from) return 0;
  const stretch = stretches.find(({ until }) => time <= until);
  return stretch === undefined ? 100 : stretch.left + ((time - stretch.from) / (stretch.until - stretch.from)) * stretch.width;
}

/** The moment that lies there: the other way round. */
export function timeAt({ stretches, from, until }: TimeScale, place: number): number {
  if (place <= 0) return from;
  const stretch = stretches.find(({ left, width }) => place <= left + width);
  return stretch === undefined ? until : stretch.from + ((place - stretch.left) / stretch.width) * (stretch.until - stretch.from);
}
