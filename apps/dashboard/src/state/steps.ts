import type { ApiClient } from '../api/client.js';
import type { LiveEvent } from '../api/live.js';
import type { Operation, Step } from '../api/types.js';
import type { LiveModel } from './use-live.js';

/** More steps than any operation has; a list that does not end is read no further. */
const MOST = 100_000;

/** One operation with its steps, in the order of the tree, as events tell them. */
export class OperationModel implements LiveModel {
  operation: Operation | undefined;
  #steps = new Map<string, Step>();
  #order: Step[] | undefined;

  constructor(readonly id: string) {}

  /** As a tree written from top to bottom: a hook is followed by the plan that it became. */
  get steps(): readonly Step[] {
    this.#order ??= inTree([...this.#steps.values()]);
    return this.#order;
  }

  take(events: readonly LiveEvent[]): void {
    for (const { event, data } of events) {
      if (event === 'operation') this.operation = data as Operation;
      if (event === 'step') this.#put(data as Step);
    }
  }

  async poll(client: ApiClient): Promise<void> {
    const operation = await client.get('/windlass/v1/operations/{id}', { id: this.id });
    const steps = await client.all<Step>(`/windlass/v1/operations/${encodeURIComponent(this.id)}/steps`, MOST);
    this.operation = operation;
    this.#steps = new Map(steps.map((step) => [step.id, step]));
    this.#order = undefined;
  }

  #put(step: Step): void {
    this.#steps.set(step.id, step);
    this.#order = undefined;
  }
}

/** Each step after the one whose plan it stands in; siblings in the order in which they were first told. */
export function inTree(steps: readonly Step[]): Step[] {
  const ids = new Set(steps.map(({ id }) => id));
  const below = new Map<string | null, Step[]>();
  for (const step of steps) {
    // A step whose parent was not told stands at the top: nothing is left out.
    const parent = step.parentId !== null && ids.has(step.parentId) && step.parentId !== step.id ? step.parentId : null;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [step]);
    else siblings.push(step);
  }
  const order: Step[] = [];
  const open = (below.get(null) ?? []).toReversed();
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    order.push(step);
    open.push(...(below.get(step.id) ?? []).toReversed());
  }
  return order;
}

/** All operations of the project that are not final, as events tell them. */
export class OperationsModel implements LiveModel {
  readonly #operations = new Map<string, Operation>();

  /** The newest first. */
  get operations(): readonly Operation[] {
    return [...this.#operations.values()].sort((one, other) => other.startTime.localeCompare(one.startTime));
  }

  take(events: readonly LiveEvent[]): void {
    for (const { event, data } of events) if (event === 'operation') this.#put(data as Operation);
  }

  async poll(client: ApiClient): Promise<void> {
    const open = await client.all<{ id: string }>(
      `/vnflcm/v1/vnf_lcm_op_occs?${new URLSearchParams({ filter: `(in,operationState,${OPEN_STATES.join(',')})` }).toString()}`,
      MOST_POLLED,
    );
    const asked = await Promise.all(open.map(({ id }) => client.get('/windlass/v1/operations/{id}', { id })));
    const still = new Set(asked.map(({ id }) => id));
    for (const each of this.operations) if (!isFinal(each) && !still.has(each.id)) this.#operations.delete(each.id);
    for (const operation of asked) this.#put(operation);
  }

  /** Those that have ended stay in sight until there are more than some. */
  #put(operation: Operation): void {
    this.#operations.set(operation.id, operation);
    const ended = this.operations.filter(isFinal);
    for (const { id } of ended.slice(MOST_ENDED)) this.#operations.delete(id);
  }
}

const MOST_POLLED = 100;
const MOST_ENDED = 20;
const OPEN_STATES = ['STARTING', 'PROCESSING', 'ROLLING_BACK', 'FAILED_TEMP'];

export const isFinal = ({ operationState }: Pick<Operation, 'operationState'>): boolean => !OPEN_STATES.includes(operationState);
