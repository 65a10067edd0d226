import type { Step } from '../api/types.js';
import type { Machine } from './failing.js';
import { placeOf, type TimeScale } from './time-scale.js';
import { stepStatusOf, type StepStatus } from './words.js';

/** The steps of one node or resource. Alike lanes are one: `names` has all of them. */
export interface Lane {
  names: string[];
  /** Of the first, where it is a machine. */
  address: string | null;
  steps: Step[];
}

interface Place {
  key: string;
  name: string;
  address: string | null;
}

const ofMachine = ({ vnfcId, name, address }: Machine): Place => ({ key: `machine ${vnfcId} ${address ?? ''}`, name, address });

/**
 * Where a step is drawn: on the machine that it works on; what has no machine on its target, else on its service. A step that failed on some of several
 * machines stands on each of those too: there one looks for it.
 */
function placesOf({ target, service, machines, machineCount, failedOn }: Step): Place[] {
  const [machine] = machines;
  if (machineCount === 1 && machine !== undefined) return [ofMachine(machine)];
  const name = target === null || target === '' ? `(${service})` : target;
  return [{ key: `target ${name}`, name, address: null }, ...failedOn.map(ofMachine)];
}

/**
 * A lane for each node or resource, in the order in which they first appear. Lanes that go through the same actions and stand alike are drawn as one, but
 * never one in which something failed or is tried again: that is what one looks for.
 */
export function lanesOf(steps: readonly Step[], areAlikeOne: boolean): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const step of steps) {
    if (step.action === 'ask-driver') continue;
    for (const { key, name, address } of placesOf(step)) {
      const lane = lanes.get(key);
      if (lane === undefined) lanes.set(key, { names: [name], address, steps: [step] });
      else lane.steps.push(step);
    }
  }
  return areAlikeOne ? together([...lanes.values()]) : [...lanes.values()];
}

const TROUBLED: ReadonlySet<StepStatus> = new Set(['failed', 'retrying']);

function together(lanes: readonly Lane[]): Lane[] {
  const alike = new Map<string, Lane>();
  const shown: Lane[] = [];
  for (const lane of lanes) {
    const statuses = lane.steps.map(stepStatusOf);
    const key = lane.steps.map(({ action }, at) => `${action} ${statuses[at] ?? ''}`).join('\n');
    const first = statuses.some((status) => TROUBLED.has(status)) ? undefined : alike.get(key);
    if (first !== undefined) {
      first.names.push(...lane.names);
      continue;
    }
    const own = { ...lane, names: [...lane.names] };
    if (!statuses.some((status) => TROUBLED.has(status))) alike.set(key, own);
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
