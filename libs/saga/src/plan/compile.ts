import { createHash } from 'node:crypto';
import { InvariantError, type Json, type JsonObject } from '@windlass/foundation';
import { isReference, type Plan, type PlanNode, type StepNode, type StepTraits } from './plan.js';

/** A plan's size on the record is bounded: 512 KiB of JSON. */
export const MAX_PLAN_BYTES = 512 * 1024;

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

export interface CompiledPlan {
  steps: CompiledStep[];
  common: JsonObject;
  /** SHA-256 of the plan's canonical JSON, hex. */
  digest: string;
}

/**
 * The flat graph of a plan. With a parent, ids get its prefix and all steps belong to it.
 * @throws InvariantError for an empty plan, an id used twice, a reference to no earlier step, or more than {@link MAX_PLAN_BYTES}.
 */
export function compilePlan(plan: Plan, parentId: string | null = null): CompiledPlan {
  const text = JSON.stringify(plan);
  if (Buffer.byteLength(text) > MAX_PLAN_BYTES) {
    throw new InvariantError(
      `the plan is ${Buffer.byteLength(text)} bytes of JSON, ${MAX_PLAN_BYTES} are allowed: move what the steps share to its common part`,
    );
  }
  const compiler = new Compiler(parentId);
  compiler.add(plan.root, [], []);
  compiler.checkReferences();
  if (compiler.steps.length === 0 && parentId === null) throw new InvariantError('the plan has no step');
  return { steps: compiler.steps, common: plan.common ?? {}, digest: createHash('sha256').update(text).digest('hex') };
}

class Compiler {
  readonly steps: CompiledStep[] = [];
  readonly #ids = new Set<string>();
  #groups = 0;

  constructor(readonly parentId: string | null) {}

  /** Adds a node that starts after `after`; returns the ids that end it. */
  add(node: PlanNode, after: string[], groups: CompiledStep['groups']): string[] {
    if (node.kind === 'step') return [this.#addStep(node, after, groups)];
    if (node.kind === 'sequence') return node.of.reduce((before, child) => this.add(child, before, groups), after);
    if (node.limit !== undefined && !(Number.isInteger(node.limit) && node.limit > 0)) {
      throw new InvariantError(`a parallel part has the limit ${node.limit}: a whole number above 0 was expected`);
    }
    const inner =
      node.limit === undefined ? groups : [...groups, { id: `${this.parentId ?? ''}#${this.#groups++}`, limit: node.limit }];
    const ends = node.of.flatMap((child) => this.add(child, after, inner));
    return ends.length === 0 ? after : [...new Set(ends)];
  }

  #addStep(node: StepNode, after: string[], groups: CompiledStep['groups']): string {
    const id = this.#fullId(node.id);
    if (!/^[\w.:@-]{1,200}$/.test(node.id))
      throw new InvariantError(`"${node.id}" is no step id: letters, digits, and . : @ _ - were expected`);
    if (this.#ids.has(id)) throw new InvariantError(`the plan has two steps with the id "${node.id}"`);
    this.#ids.add(id);
    this.steps.push({
      id,
      parentId: this.parentId,
      action: node.action,
      version: node.version,
      service: node.service,
      target: node.target ?? null,
      input: this.#qualify(node.input) as JsonObject,
      deps: [...after],
      limitKeys: node.limits ?? [],
      groups,
      traits: node.traits ?? {},
    });
    return id;
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
    const byId = new Map(this.steps.map((step) => [step.id, step]));
    const before = new Map<string, Set<string>>();
    for (const step of this.steps) {
      const earlier = new Set(step.deps.flatMap((dep) => [dep, ...(before.get(dep) ?? [])]));
      before.set(step.id, earlier);
      for (const used of stepSources(step.input)) {
        if (byId.has(used) && !earlier.has(used))
          throw new InvariantError(`step "${step.id}" uses the output of "${used}", which does not come before it`);
        // An absolute id may be of a step of the plan above, which is known only where the plan is grafted.
        if (!byId.has(used) && used.startsWith(this.#fullId('')))
          throw new InvariantError(`step "${step.id}" uses the output of "${used}", which is not in the plan`);
      }
    }
  }
}

function stepSources(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(stepSources);
  if (typeof value !== 'object' || value === null) return [];
  if (isReference(value)) return value.$from.startsWith('step:') ? [value.$from.slice('step:'.length)] : [];
  return Object.values(value).flatMap(stepSources);
}
