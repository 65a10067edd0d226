import { median, rounded } from '../figures.js';
import type { Moment, Parts } from './moments.js';
import type { RecordedRequest } from './recorder.js';

/** Who makes the stacks: a client of Heat alone, or Windlass. */
export type Side = 'bare' | 'windlass';

/** What is measured of each side: one at a time, and as many at once as were asked for. */
export const KINDS = ['makeOne', 'endOne', 'makeMany', 'endMany'] as const;
export type Kind = (typeof KINDS)[number];

/** Times are milliseconds. */
export interface Taken {
  /** From the first request until the last of them is complete, or gone: by Heat's own events for the client, until COMPLETED for Windlass. */
  took: number;
  /** The same until its looks showed it; the client's alone. */
  seen?: number;
  /** Requests to OpenStack meanwhile, by service. */
  requests: Record<string, number>;
  /** Where the time went; undefined where Heat's log does not tell. */
  parts?: Parts;
  /** Each request and event; of one VM alone each step, too. */
  moments?: Moment[];
}

/** One run: every kind by both. */
export interface BesideRun {
  first: Side;
  kinds: Record<Kind, Record<Side, Taken>>;
}

/** Of the runs. Differences and ratios are taken of each run, whose two measurements lie next to each other, and of these the median. */
export interface BesideFigures {
  bare: number;
  windlass: number;
  /** How many milliseconds Windlass takes more. */
  difference: number;
  /** How many times as long Windlass takes. */
  ratio: number;
  /** The same without what the client of Heat does not do: the image and the reading of what was made. */
  beyond: { difference: number; ratio: number };
  /** Beside the client's time until its looks showed it. */
  seen: { difference: number; ratio: number };
  requests: Record<Side, Record<string, number>>;
  /** Where Windlass's time went, each the median of the runs. */
  parts: Parts;
}

/** Issue 16's. */
export const MOST_MORE_MS = 400;
export const MOST_RATIO = 1.15;

export interface Aim {
  kind: Kind;
  what: 'difference' | 'ratio';
  most: number;
  measured: number;
  reached: boolean;
}

/** In each run the other one begins: what the first leaves behind for the second counts for both. */
export const turnsOf = (run: number): readonly [Side, Side] => (run % 2 === 1 ? ['bare', 'windlass'] : ['windlass', 'bare']);

export function besideFigures(runs: readonly BesideRun[]): Record<Kind, BesideFigures> {
  const figures = KINDS.map((kind) => [kind, figuresOf(runs.map(({ kinds }) => kinds[kind]))] as const);
  return Object.fromEntries(figures) as Record<Kind, BesideFigures>;
}

function figuresOf(measured: readonly Record<Side, Taken>[]): BesideFigures {
  const of = (figure: (one: Record<Side, Taken>) => number): number => rounded(median(measured.map(figure)));
  return {
    bare: of(({ bare }) => bare.took),
    windlass: of(({ windlass }) => windlass.took),
    difference: of(({ bare, windlass }) => windlass.took - bare.took),
    ratio: of(({ bare, windlass }) => windlass.took / bare.took),
    beyond: {
      difference: of(({ bare, windlass }) => beyond(windlass) - bare.took),
      ratio: of(({ bare, windlass }) => beyond(windlass) / bare.took),
    },
    seen: {
      difference: of(({ bare, windlass }) => windlass.took - (bare.seen ?? bare.took)),
      ratio: of(({ bare, windlass }) => windlass.took / (bare.seen ?? bare.took)),
    },
    parts: partsAmong(measured.map(({ windlass }) => windlass)),
    requests: { bare: requestsOf(measured, 'bare'), windlass: requestsOf(measured, 'windlass') },
  };
}

const NO_PARTS: Parts = { before: 0, image: 0, heat: 0, noticing: 0, reading: 0, rest: 0 };

/** Without the image and the reading of what was made. */
const beyond = ({ took, parts = NO_PARTS }: Taken): number => took - parts.image - parts.reading;

const partsAmong = (taken: readonly Taken[]): Parts =>
  Object.fromEntries(
    (Object.keys(NO_PARTS) as (keyof Parts)[]).map((part) => [
      part,
      rounded(median(taken.map(({ parts = NO_PARTS }) => parts[part]))),
    ]),
  ) as unknown as Parts;

/** Medians by service; a run that asked a service nothing counts as 0. */
function requestsOf(measured: readonly Record<Side, Taken>[], side: Side): Record<string, number> {
  const services = new Set(measured.flatMap((one) => Object.keys(one[side].requests)));
  return Object.fromEntries(
    [...services].sort().map((service) => [service, median(measured.map((one) => one[side].requests[service] ?? 0))]),
  );
}

/** One VM by the difference, many at once by the ratio. */
export const aimsOf = (figures: Record<Kind, BesideFigures>): Aim[] =>
  KINDS.map((kind) => {
    const [what, most] = kind.endsWith('One') ? (['difference', MOST_MORE_MS] as const) : (['ratio', MOST_RATIO] as const);
    const measured = figures[kind][what];
    return { kind, what, most, measured, reached: measured <= most };
  });

/** Tokens are left out: one serves many operations. */
export function requestsByService(requests: readonly RecordedRequest[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { service } of requests) if (service !== 'identity') counts[service] = (counts[service] ?? 0) + 1;
  return counts;
}

/** The time from the first sending to the last end. */
export const spanOf = (all: readonly { sentAt: number; endedAt: number }[]): number =>
  rounded(Math.max(...all.map(({ endedAt }) => endedAt)) - Math.min(...all.map(({ sentAt }) => sentAt)));
