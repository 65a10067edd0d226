import type { Step } from '../api/types.js';

/** Without an end yet: as late as any. */
const endOf = ({ endedAt }: Step): number => (endedAt === null ? Infinity : Date.parse(endedAt));
const beginOf = ({ startedAt }: Step): number => (startedAt === null ? Infinity : Date.parse(startedAt));

/**
 * Of two steps the one that others waited for longer: it ends last. Of two that still run it is the one that began first, of two that ended at once (a
 * transaction runs several steps) the one that comes later in the plan.
 */
function later(one: Step | undefined, other: Step): Step {
  if (one === undefined || endOf(other) > endOf(one)) return other;
  if (endOf(other) < endOf(one)) return one;
  return endOf(one) === Infinity && beginOf(other) >= beginOf(one) ? one : other;
}

/**
 * The steps that say how long the operation takes: from the one that ended last back to the beginning, each time over the step that it waited for
 * longest. In the order in which they ran. Empty before anything ran, and once something is undone: a roll-back goes another way.
 * @param steps in the order of the tree: each after the one whose plan it stands in
 */
export function criticalPath(steps: readonly Step[]): Step[] {
  if (steps.some(({ phase }) => phase === 'undo')) return [];
  const byId = new Map(steps.map((step) => [step.id, step]));
  const lasts = lastsOf(steps, byId);
  const lastOf = (step: Step): Step | undefined => (step.action === 'ask-driver' ? (lasts.get(step.id) ?? step) : step);
  let at = steps
    .filter(({ startedAt, action }) => startedAt !== null && action !== 'ask-driver')
    .reduce<Step | undefined>(later, undefined);
  const path = new Set<Step>();
  while (at !== undefined && !path.has(at)) {
    path.add(at);
    at = before(at, byId)
      .flatMap((step) => lastOf(step) ?? [])
      .filter(({ startedAt }) => startedAt !== null)
      .reduce<Step | undefined>(later, undefined);
  }
  return [...path].filter(({ action }) => action !== 'ask-driver').reverse();
}

/** Of each hook the step of its plan, at any depth, that ended last. */
function lastsOf(steps: readonly Step[], byId: ReadonlyMap<string, Step>): ReadonlyMap<string, Step> {
  const lasts = new Map<string, Step>();
  for (const step of steps.toReversed()) {
    const parent = step.parentId === null ? undefined : byId.get(step.parentId);
    const last = step.action === 'ask-driver' ? lasts.get(step.id) : step;
    if (parent !== undefined && last !== undefined && last.startedAt !== null) {
      const known = lasts.get(parent.id);
      // From the end on: what is known already comes later in the plan.
      lasts.set(parent.id, known === undefined ? last : later(last, known));
    }
  }
  return lasts;
}

/** What a step waited for: the steps before it, else the hook whose plan begins with it. */
function before(step: Step, byId: ReadonlyMap<string, Step>): Step[] {
  const found = step.dependsOn.flatMap((id) => byId.get(id) ?? []);
  // Its parent's own plan would lead back to it: what its parent waited for is what it waited for.
  for (let up = step, left = byId.size; found.length === 0 && up.parentId !== null && left > 0; left--) {
    const parent = byId.get(up.parentId);
    if (parent === undefined) break;
    found.push(...parent.dependsOn.flatMap((id) => byId.get(id) ?? []));
    up = parent;
  }
  return found;
}
