import { createHash } from 'node:crypto';
import { InvariantError, TerminalError, type Json, type JsonObject } from '@windlass/foundation';
import { storableText } from './storable-text.js';
import { checkBounds, type PlanBounds } from './plan-bounds.js';
import { readPlan } from './plan-shape.js';
import type { Plan, PlanNode, StepNode, StepTraits } from './plan.js';
import { isReference } from './refs.js';

/** A plan's size on the record is bounded: 512 KiB of JSON. */
export const MAX_PLAN_BYTES = 512 * 1024;

/** How often one step of a plan may wait for another in all: 180 nodes that each wait for 180 others have 32,400 such arrows. */
export const MAX_PLAN_ARROWS = 50_000;

/** A step of the flat graph: what a plan becomes before it is journaled. */
export interface CompiledStep {
  /** Unique in the operation: the plan's own id behind its parent's, `instantiate_end/join-worker:w1`. */
  id: string;
  parentId: string | null;
  action: string;
  version: number;
  service: string;
  target: string | null;
  input: JsonObject;
  /** Full ids of the steps that must be done before this one. */
  deps: string[];
  limitKeys: string[];
  /** Parallel groups with a limit that it stands in. */
  groups: { id: string; limit: number }[];
  traits: StepTraits;
}

/** A plan as a flat graph: its steps in an order in which each comes after those that it depends on. */
export interface CompiledPlan {
  steps: CompiledStep[];
  common: JsonObject;
  /** SHA-256 of the plan's canonical JSON, hex. */
  digest: string;
}

/**
 * The flat graph of a plan of ours. With a parent, ids get its prefix and all steps belong to it.
 * @throws InvariantError for an empty plan, an id used twice, a reference to no earlier step, or more than {@link MAX_PLAN_BYTES}.
 */
export function compilePlan(plan: Plan, parentId: string | null = null): CompiledPlan {
  return compiled(plan, parentId, (key) => key);
}

/**
 * The flat graph of a plan that came from a driver, or from a worker of its steps: read as untrusted, and held within its bounds.
 * @throws TerminalError `plan.refused` with the driver, the step, what was wrong and what is allowed. Nothing else.
 */
export function compileBounded(value: unknown, parentId: string, bounds: PlanBounds): CompiledPlan {
  try {
    const plan = readPlan(value);
    checkBounds(plan, parentId, bounds);
    return compiled(plan, parentId, bounds.countedAs ?? ((key) => key));
  } catch (error) {
    if (!(error instanceof TerminalError || error instanceof InvariantError)) throw error;
    const reason = storableText(error.message).slice(0, MAX_REASON_LENGTH);
    throw new TerminalError('plan.refused', `${parentId}: the plan of the driver ${bounds.driver} is refused: ${reason}`, {
      title: 'The plan of a management driver is refused',
    });
  }
}

/** Characters of a reason: untrusted names and pointers may stand in it. */
const MAX_REASON_LENGTH = 1_000;

function compiled(plan: Plan, parentId: string | null, countedAs: (key: string) => string): CompiledPlan {
  const text = JSON.stringify(plan);
  if (Buffer.byteLength(text) > MAX_PLAN_BYTES) {
    throw new InvariantError(
      `the plan is ${Buffer.byteLength(text)} bytes of JSON, ${MAX_PLAN_BYTES} are allowed: move what the steps share to its common part`,
    );
  }
  const compiler = new Compiler(parentId, countedAs);
  compiler.add(plan.root, [], []);
  compiler.checkReferences();
  if (compiler.steps.length === 0 && parentId === null) throw new InvariantError('the plan has no step');
  return { steps: compiler.steps, common: plan.common ?? {}, digest: createHash('sha256').update(text).digest('hex') };
}

class Compiler {
  readonly steps: CompiledStep[] = [];
  readonly #ids = new Set<string>();
  #groups = 0;
  #arrows = 0;

  constructor(
    readonly parentId: string | null,
    private readonly countedAs: (key: string) => string,
  ) {}

  /**
   * Adds a node that starts after `after`; returns the ids that end it.
   * @throws InvariantError for an id, a limit or a reference that is wrong
   */
  add(node: PlanNode, after: string[], groups: CompiledStep['groups']): string[] {
    if (node.kind === 'step') return [this.#addStep(node, after, groups)];
    if (node.kind === 'sequence') return node.of.reduce((before, child) => this.add(child, before, groups), after);
    if (node.limit !== undefined && !(Number.isInteger(node.limit) && node.limit > 0)) {
      throw new InvariantError(`a parallel part has the limit ${node.limit}: a whole number above 0 was expected`);
    }
    const inner =
      node.limit === undefined ? groups : [...groups, { id: `${this.parentId ?? ''}#${this.#groups++}`, limit: node.limit }];
    const ends = new Set<string>();
    // What has no step passes on what it got; that is taken once, however many of such parts there are.
    const ways = new Set(node.of.map((child) => this.add(child, after, inner)));
    for (const way of ways) for (const id of way) ends.add(id);
    return ends.size === 0 || (ways.size === 1 && ways.has(after)) ? after : [...ends];
  }

  #addStep(node: StepNode, after: string[], groups: CompiledStep['groups']): string {
    const id = this.#fullId(node.id);
    if (!/^[\w.:@-]{1,200}$/.test(node.id))
      throw new InvariantError(`"${node.id}" is no step id: letters, digits, and . : @ _ - were expected`);
    if (this.#ids.has(id)) throw new InvariantError(`the plan has two steps with the id "${node.id}"`);
    const deps = this.#waitsFor(node, id, after);
    this.#ids.add(id);
    this.#arrows += deps.length;
    if (this.#arrows > MAX_PLAN_ARROWS)
      throw new InvariantError(
        `the steps of the plan wait for each other in more than ${MAX_PLAN_ARROWS} ways: put one step between its parallel parts`,
      );
    this.steps.push({
      id,
      parentId: this.parentId,
      action: node.action,
      version: node.version,
      service: node.service,
      target: node.target ?? null,
      input: this.#qualify(node.input) as JsonObject,
      deps,
      limitKeys: (node.limits ?? []).map(this.countedAs),
      groups,
      traits: node.traits ?? {},
    });
    return id;
  }

  /**
   * What its place makes it wait for, and what it names.
   * @throws InvariantError for a name that does not stand before it
   */
  #waitsFor(node: StepNode, id: string, after: readonly string[]): string[] {
    const named = (node.after ?? []).map((other) => this.#fullId(other));
    const missing = named.find((other) => !this.#ids.has(other));
    if (missing !== undefined)
      throw new InvariantError(`step "${id}" is to be after "${missing}", which does not stand before it in the plan`);
    return [...new Set([...after, ...named])];
  }

  #fullId(id: string): string {
    return this.parentId === null ? id : `${this.parentId}/${id}`;
  }

  /** `step:x` becomes the full id; `step:/x` is one already. `common` becomes the one of this plan. */
  #qualify(value: Json): Json {
    if (Array.isArray(value)) return value.map((entry) => this.#qualify(entry));
    if (typeof value !== 'object' || value === null) return value;
    if (isReference(value)) return { ...value, $from: this.#qualifySource(value.$from) };
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.#qualify(entry)]));
  }

  #qualifySource(source: string): string {
    if (source === 'common') return `common:${this.parentId ?? ''}`;
    if (!source.startsWith('step:')) return source;
    const id = source.slice('step:'.length);
    return `step:${id.startsWith('/') ? id.slice(1) : this.#fullId(id)}`;
  }

  /** A reference to a step of this plan must lie before the step that uses it. */
  checkReferences(): void {
    const places = new Map(this.steps.map(({ id }, place) => [id, place]));
    const earlier = new Earlier(this.steps, places);
    this.steps.forEach((step, place) => {
      for (const used of stepSources(step.input)) {
        const at = places.get(used);
        if (at !== undefined && !earlier.isBefore(at, place))
          throw new InvariantError(`step "${step.id}" uses the output of "${used}", which does not come before it`);
        // An absolute id may be of a step of the plan above, which is known only where the plan is grafted.
        if (at === undefined && used.startsWith(this.#fullId('')))
          throw new InvariantError(`step "${step.id}" uses the output of "${used}", which is not in the plan`);
      }
    });
  }
}

/** Which steps come before which, however far: a bit a pair, so that the largest plan takes some 3 MB and milliseconds. */
class Earlier {
  readonly #words: number;
  readonly #bits: Uint32Array;

  constructor(steps: readonly CompiledStep[], places: ReadonlyMap<string, number>) {
    this.#words = Math.ceil(steps.length / 32);
    this.#bits = new Uint32Array(steps.length * this.#words);
    steps.forEach(({ deps }, place) => {
      for (const dep of deps) this.#follow(place, places.get(dep) ?? place);
    });
  }

  isBefore(one: number, other: number): boolean {
    return (this.#word(other, one >>> 5) & (1 << (one & 31))) !== 0;
  }

  /** All before `dep`, and itself, are before the step. */
  #follow(place: number, dep: number): void {
    const own = place * this.#words;
    for (let word = 0; word < this.#words; word++) this.#bits[own + word] = this.#word(place, word) | this.#word(dep, word);
    this.#bits[own + (dep >>> 5)] = this.#word(place, dep >>> 5) | (1 << (dep & 31));
  }

  #word(place: number, word: number): number {
    return this.#bits[place * this.#words + word] ?? 0;
  }
}

function stepSources(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(stepSources);
  if (typeof value !== 'object' || value === null) return [];
  if (isReference(value)) return value.$from.startsWith('step:') ? [value.$from.slice('step:'.length)] : [];
  return Object.values(value).flatMap(stepSources);
}
