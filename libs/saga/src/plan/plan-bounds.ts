import { isJsonObject, pointerToken, type Json, type JsonObject } from '@windlass/foundation';
import { mismatchOf, type InputSchema } from './input-schema.js';
import type { Plan, PlanNode, StepNode } from './plan.js';
import { isReference } from './refs.js';
import { planError, shown } from './plan-shape.js';

/** What a plan may hold, by who made it. Whatever is not named here is refused. */
export interface PlanBounds {
  /** The driver that was asked for it. */
  driver: string;
  /** The driver's own service. */
  service: string;
  /** Its announced actions. */
  actions: readonly { name: string; version: number }[];
  /** Actions that other services offer to every driver. */
  offers: readonly OfferedAction[];
  /** Sources that the operation's owner provides; `common` and `step:` are the engine's own. */
  sources: ReadonlySet<string>;
  /** Full ids of steps of other plans whose output it may use. */
  steps: ReadonlySet<string>;
  /** Keys of limits, beside those that begin with `<service>:`. */
  limits: ReadonlySet<string>;
  /** Under what a key of them counts over all operations; as it stands, unless given. */
  countedAs?: (key: string) => string;
}

/** An action that any driver may put in its plan, with input of this form. */
export interface OfferedAction {
  service: string;
  name: string;
  version: number;
  input: InputSchema;
}

/**
 * Compares a plan of the right form with its bounds.
 * @param parentId the step that returned it
 * @throws TerminalError `plan.refused`
 */
export function checkBounds(plan: Plan, parentId: string, bounds: PlanBounds): void {
  const { madeBy, common = {} } = plan;
  if (madeBy !== undefined && madeBy.driver !== bounds.driver)
    throw planError(`it says that it was made by ${shown(madeBy.driver)}`);
  const hidden = pathOf(common, (value) => isJsonObject(value) && Object.hasOwn(value, '$from'), '');
  if (hidden !== undefined)
    throw planError(`its common part has a reference at ${hidden}: only the input of steps may point somewhere`);
  const check = new StepCheck(`${parentId}/`, bounds);
  forEachStep(plan.root, (step) => check.step(step));
}

function forEachStep(node: PlanNode, visit: (step: StepNode) => void): void {
  if (node.kind === 'step') visit(node);
  else for (const child of node.of) forEachStep(child, visit);
}

class StepCheck {
  constructor(
    private readonly prefix: string,
    private readonly bounds: PlanBounds,
  ) {}

  step(step: StepNode): void {
    const name = `step ${shown(step.id)}`;
    this.#action(step, name);
    if (Object.hasOwn(step.input, '$from'))
      throw planError(`${name} has a reference for its whole input: members that point were expected`);
    this.#references(step.input, name, '');
    for (const key of step.limits ?? []) this.#limit(key, name);
  }

  #action({ service, action, version, input }: StepNode, name: string): void {
    const { bounds } = this;
    const isNamed = (each: { name: string; version: number }): boolean => each.name === action && each.version === version;
    const key = shown(`${action}@${version}`);
    if (service === bounds.service) {
      if (bounds.actions.some(isNamed)) return;
      throw planError(`${name} has the action ${key}, which ${bounds.service} has not announced: ${listed(bounds.actions)}`);
    }
    const offer = bounds.offers.find((each) => each.service === service && isNamed(each));
    if (offer === undefined)
      throw planError(
        `${name} is for ${shown(service)} and its action ${key}, which is not offered: allowed are ${bounds.service} and ${listed(bounds.offers)}`,
      );
    const mismatch = mismatchOf(input, offer.input, isReference);
    if (mismatch !== undefined)
      throw planError(`${name} has input that ${service} does not take: ${mismatch.path} ${mismatch.reason}`);
  }

  #limit(key: string, name: string): void {
    const { limits, service } = this.bounds;
    if (limits.has(key) || (key.startsWith(`${service}:`) && key.length > service.length + 1)) return;
    throw planError(
      `${name} has the limit ${shown(key)}: host:<resourceId> of a VNFC of this operation and ${service}:<anything> are allowed`,
    );
  }

  #references(value: Json, name: string, path: string): void {
    if (Array.isArray(value)) value.forEach((each, index) => this.#references(each, name, `${path}/${index}`));
    else if (isJsonObject(value)) {
      if (Object.hasOwn(value, '$from')) this.#reference(value, `${name} has at ${path} of its input`);
      else for (const [key, each] of Object.entries(value)) this.#references(each, name, `${path}/${pointerToken(key)}`);
    }
  }

  #reference(value: JsonObject, where: string): void {
    const { $from, at, ...more } = value;
    if (typeof $from !== 'string') throw planError(`${where} a $from that is no text`);
    const [other] = Object.keys(more);
    if (other !== undefined) throw planError(`${where} a member ${shown(other)} beside $from: only at is allowed there`);
    if (at !== undefined && !(typeof at === 'string' && isPointer(at)))
      throw planError(`${where} an at that is no JSON pointer: "", or tokens that each begin with / were expected`);
    if ($from === 'common' || this.bounds.sources.has($from) || this.#isOwnStep($from)) return;
    const allowed = 'vnfc:<id> of this operation, instantiate-params, request-params, common, and step:<id> of the same driver';
    throw planError(`${where} the source ${shown($from)}: ${allowed} are allowed`);
  }

  /** Whether a step of the same plan is there, and comes before, is seen when the plan is compiled. */
  #isOwnStep(source: string): boolean {
    if (!source.startsWith('step:')) return false;
    const id = source.slice('step:'.length);
    if (!id.startsWith('/')) return true;
    return id.startsWith(`/${this.prefix}`) || this.bounds.steps.has(id.slice(1));
  }
}

const isPointer = (text: string): boolean => text === '' || /^(\/([^~]|~[01])*)$/u.test(text);

/** The pointer of the first value in it, however deep, that is so. */
function pathOf(value: Json, isSo: (value: Json) => boolean, path: string): string | undefined {
  if (isSo(value)) return path === '' ? 'its top' : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = pathOf(member, isSo, `${path}/${pointerToken(key)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function listed(actions: readonly { name: string; version: number; service?: string }[]): string {
  if (actions.length === 0) return 'none is offered';
  return actions
    .map(({ service, name, version }) => `${service === undefined ? '' : `${service} `}${name}@${version}`)
    .join(', ');
}
