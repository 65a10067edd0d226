import type { StepRecord } from './records.js';

/** The steps of one operation with their arrows: who waits for whom, who belongs to whom. */
export class SagaGraph {
  readonly steps: StepRecord[];
  readonly #byId = new Map<string, StepRecord>();
  readonly #dependents = new Map<string, StepRecord[]>();
  readonly #children = new Map<string, StepRecord[]>();

  constructor(steps: readonly StepRecord[]) {
    this.steps = [];
    for (const step of [...steps].sort((a, b) => a.seq - b.seq)) this.add(step);
  }

  add(step: StepRecord): void {
    this.steps.push(step);
    this.#byId.set(step.id, step);
    for (const dep of step.deps) push(this.#dependents, dep, step);
    if (step.parentId !== null) push(this.#children, step.parentId, step);
  }

  find(id: string): StepRecord | undefined {
    return this.#byId.get(id);
  }

  hasChildren(step: StepRecord): boolean {
    return this.#children.has(step.id);
  }

  /** The steps of the plan that it became, in their order. */
  childrenOf(step: StepRecord): readonly StepRecord[] {
    return this.#children.get(step.id) ?? [];
  }

  childrenDone(step: StepRecord): boolean {
    return this.childrenOf(step).every((child) => child.phase === 'do' && child.state === 'done');
  }

  /** All before it is done, its parent is expanded, and its groups have a place. */
  mayStart(step: StepRecord): boolean {
    const parent = this.#parentOf(step);
    return (parent === undefined || parent.state === 'expanded') && this.#allBeforeDone(step) && this.#groupsHavePlace(step);
  }

  /** All that came after it, below it, or after what it stands below, has been undone or was never claimed. */
  mayUndo(step: StepRecord): boolean {
    return this.beforeUndo(step).length === 0 && this.#groupsHavePlace(step);
  }

  /** The steps next to it that have to be undone before it is. */
  beforeUndo(step: StepRecord): StepRecord[] {
    return this.#nextTo(step).filter((later) => later.everClaimed && !(later.phase === 'undo' && later.state === 'done'));
  }

  /** The steps next to it that keep it from starting: those before it that are not done, and what it stands below. For people; `mayStart` decides. */
  beforeStart(step: StepRecord): StepRecord[] {
    const parent = this.#parentOf(step);
    const before = step.deps.flatMap((id) => this.#byId.get(id) ?? []);
    const open = before.filter(({ phase, state }) => phase !== 'do' || state !== 'done');
    return parent === undefined || parent.state === 'expanded' ? open : [parent, ...open];
  }

  /** The step beyond which nothing can be rolled back, if it was ever claimed. */
  claimedPivot(): StepRecord | undefined {
    return this.steps.find((step) => step.traits.pivot === true && step.everClaimed);
  }

  /** All that comes after any of these, however far. */
  after(steps: readonly StepRecord[]): ReadonlySet<StepRecord> {
    const found = new Set(steps.flatMap((step) => this.#nextTo(step)));
    for (const step of found) for (const next of this.#nextTo(step)) found.add(next);
    return found;
  }

  /** All that a step came after, and what stands below that, however far. */
  before(step: StepRecord): ReadonlySet<StepRecord> {
    const found = new Set<StepRecord>();
    const add = (id: string): void => {
      const earlier = this.#byId.get(id);
      if (earlier !== undefined) found.add(earlier);
    };
    for (let around: StepRecord | undefined = step; around !== undefined; around = this.#parentOf(around))
      around.deps.forEach(add);
    for (const earlier of found) {
      earlier.deps.forEach(add);
      for (const child of this.childrenOf(earlier)) found.add(child);
    }
    return found;
  }

  /** What stands below a step, or waits for it or for one that it stands below. */
  #nextTo(step: StepRecord): StepRecord[] {
    const next = [...this.childrenOf(step)];
    for (let around: StepRecord | undefined = step; around !== undefined; around = this.#parentOf(around))
      next.push(...(this.#dependents.get(around.id) ?? []));
    return next;
  }

  #parentOf(step: StepRecord): StepRecord | undefined {
    return step.parentId === null ? undefined : this.#byId.get(step.parentId);
  }

  /** Back to the very beginning, and around the steps it stands below: a retry reopens what lies behind inline steps that stay done. */
  #allBeforeDone(step: StepRecord): boolean {
    const looked = new Set([step]);
    for (const here of looked) {
      const parent = this.#parentOf(here);
      if (parent !== undefined) looked.add(parent);
      for (const dep of here.deps) {
        const earlier = this.#byId.get(dep);
        if (earlier?.phase !== 'do' || earlier.state !== 'done') return false;
        looked.add(earlier);
      }
    }
    return true;
  }

  /** A step that became a plan keeps its place until that plan is done. */
  #groupsHavePlace(step: StepRecord): boolean {
    return step.groups.every(({ id, limit }) => {
      const busy = this.steps.filter(
        (other) => ['ready', 'running', 'expanded'].includes(other.state) && other.groups.some((group) => group.id === id),
      );
      return busy.length < limit;
    });
  }
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
