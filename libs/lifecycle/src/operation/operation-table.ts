import { InvariantError } from '@windlass/foundation';
import { OPERATION_RULES, type InstanceTask } from '@windlass/sol003';
import { desiredIn, type DesiredState } from '../records/desired-state.js';
import type { LcmOperation, OpOccRecord, TaskConditions, VnfInstanceRecord } from '../records/records.js';
import type { OperationDefinition } from './operation-definition.js';

/** The operations that there are, by what they are called, where they are asked for, and which links an instance shows. */
export class OperationTable {
  readonly #byName = new Map<LcmOperation, OperationDefinition>();
  readonly #byRoute = new Map<string, OperationDefinition>();

  /** @throws InvariantError for two rows of one operation, or with one route */
  constructor(definitions: readonly OperationDefinition[]) {
    for (const definition of definitions) {
      const { operation, route } = definition;
      const at = routeKey(route.method, route.method === 'POST' ? route.task : '');
      const other = this.#byName.get(operation) ?? this.#byRoute.get(at);
      if (other !== undefined)
        throw new InvariantError(
          `${operation} at "${at}" has the name or the route of ${other.operation}, which is in the table`,
        );
      this.#byName.set(operation, definition);
      this.#byRoute.set(at, definition);
    }
  }

  /** In the order of the rows. */
  get all(): readonly OperationDefinition[] {
    return [...this.#byName.values()];
  }

  find(operation: string): OperationDefinition | undefined {
    return this.#byName.get(operation as LcmOperation);
  }

  /** @throws InvariantError for one that is not in the table, which nothing can have accepted */
  of(operation: LcmOperation): OperationDefinition {
    const found = this.find(operation);
    if (found === undefined) throw new InvariantError(`there is no definition of ${operation}`);
    return found;
  }

  /** The operation that is asked for by that method, at that task resource of an instance; at the instance itself without one. */
  at(method: string, task = ''): OperationDefinition | undefined {
    return this.#byRoute.get(routeKey(method, task));
  }

  /** The task resources that an instance links to, as it stands. */
  tasksOf(conditions: TaskConditions): InstanceTask[] {
    const tasks: InstanceTask[] = [];
    for (const definition of this.#byName.values()) {
      const { operation, route } = definition;
      if (route.method !== 'POST' || !OPERATION_RULES[operation].startsIn.includes(conditions.instantiationState)) continue;
      if (definition.isTaskOf?.(conditions) !== false) tasks.push(route);
    }
    return tasks;
  }

  /** What an operation works towards: what its instance should be, or what its request makes of it. Null for an instance that is not instantiated. */
  desiredFor(
    { operation, request, draft }: Pick<OpOccRecord, 'operation' | 'request' | 'draft'>,
    { desired }: Pick<VnfInstanceRecord, 'desired'>,
  ): DesiredState | null {
    return this.find(operation)?.makesVnf === true ? desiredIn({ request, draft }) : desired;
  }

  /**
   * The flavour that an operation works with; empty for an instance without a flavour, as in a modification of an instance that is not instantiated.
   */
  flavourIdOf(
    { operation, request }: Pick<OpOccRecord, 'operation' | 'request'>,
    { instantiated }: Pick<VnfInstanceRecord, 'instantiated'>,
  ): string {
    if (this.find(operation)?.makesVnf === true) return typeof request.flavourId === 'string' ? request.flavourId : '';
    return instantiated?.info.flavourId ?? '';
  }
}

const routeKey = (method: string, task: string): string => `${method} ${task}`.trim();
