import type { Step } from '../api/types.js';
import { placeOf, type TimeScale } from './time-scale.js';
import { standingOf, type Standing } from './words.js';

/** The steps of one node or resource. Alike lanes are one: `names` has all of them. */
export interface Lane {
  names: string[];
  steps: Step[];
}

/** What a step works on; what has no target stands with its service. */
const laneOf = ({ target, service }: Step): string => (target === null || target === '' ? `(${service})` : target);

/**
 * A lane for each node or resource, in the order in which they first appear. Lanes that go through the same actions and stand alike are drawn as one, but
 * never one in which something failed or is tried again: that is what one looks for.
 */
export function lanesOf(steps: readonly Step[], areAlikeOne: boolean): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const step of steps) {
    if (step.action === 'ask-driver') continue;
    const name = laneOf(step);
    const lane = lanes.get(name);
    if (lane === undefined) lanes.set(name, { names: [name], steps: [step] });
    else lane.steps.push(step);
  }
  return areAlikeOne ? together([...lanes.values()]) : [...lanes.values()];
}

const TROUBLED: ReadonlySet<Standing> = new Set(['failed', 'retrying']);

function together(lanes: readonly Lane[]): Lane[] {
  const alike = new Map<string, Lane>();
  const shown: Lane[] = [];
  for (const lane of lanes) {
    const standings = lane.steps.map(standingOf);
    const key = lane.steps.map(({ action }, at) => `${action} ${standings[at] ?? ''}`).join('\n');
    const first = standings.some((standing) => TROUBLED.has(standing)) ? undefined : alike.get(key);
    if (first !== undefined) {
      first.names.push(...lane.names);
      continue;
    }
    const own = { names: [...lane.names], steps: lane.steps };
    if (!standings.some((standing) => TROUBLED.has(standing))) alike.set(key, own);
    shown.push(own);
  }
  return shown;
}

/** Percent of the width: so much can be seen and clicked. */
const NARROWEST = 0.5;

/** Where a step's bar lies on a lane, in percent. Undefined for one that has not begun. */
export function barOf({ startedAt, endedAt }: Step, scale: TimeScale, now: number): { left: number; width: number } | undefined {
  if (startedAt === null) return undefined;
  const left = Math.min(100 - NARROWEST, placeOf(scale, Date.parse(startedAt)));
  const right = placeOf(scale, endedAt === null ? now : Date.parse(endedAt));
  return { left, width: Math.max(NARROWEST, right - left) };
}
