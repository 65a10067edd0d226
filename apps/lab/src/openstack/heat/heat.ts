import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import type { Session } from '../state/session.js';
import type { CloudState, Stack, StackInput, StackResource } from '../state/state.js';
import type { Engine } from './engine.js';
import { badRequest, heatError, invalidTemplate, resourceNotFound, stackNotFound } from './template/heat-errors.js';
import { scaled } from './resources/groups.js';
import type { StackLog } from './stack-log.js';
import { validateStack } from './validation.js';
import type { Works } from './works.js';

/** What `POST stacks` asks for, read. */
export interface StackRequest {
  name: string;
  input: StackInput;
  tags: string[];
  timeoutMins: number | null;
  disableRollback: boolean;
}

/** Deleted stacks that are still shown; Heat keeps them until an operator purges them. */
const MAX_DELETED = 200;

/** Stacks as Heat's API sees them. */
export class Heat {
  constructor(
    private readonly state: CloudState,
    readonly works: Works,
    private readonly engine: Engine,
    private readonly log: StackLog,
  ) {}

  /** Stacks, newest first: those at the top that are not deleted, and others where they are wanted. */
  list = (projectId: string, also: { deleted?: boolean; nested?: boolean } = {}): Stack[] =>
    [...this.state.stacks.values()]
      .filter((one) => one.projectId === projectId)
      .filter((one) => (one.parentId === null || also.nested === true) && (one.deletedAt === null || also.deleted === true))
      .reverse();

  /** The stack of that name that is not deleted, or that has that id. @throws HttpFailure 404. */
  named(projectId: string, nameOrId: string): Stack {
    const own = [...this.state.stacks.values()].filter((one) => one.projectId === projectId);
    const found = own.find((one) => one.name === nameOrId && one.deletedAt === null) ?? own.find((one) => one.id === nameOrId);
    if (found === undefined) throw stackNotFound(nameOrId);
    return found;
  }

  /** The stack of that name and id. @throws HttpFailure 404. */
  identified(projectId: string, name: string, id: string): Stack {
    const stack = this.state.stacks.get(id);
    if (stack?.projectId !== projectId || stack.name !== name) throw stackNotFound(name);
    return stack;
  }

  create(session: Session, requested: StackRequest): Stack {
    const projectId = session.project?.id ?? '';
    if (!/^[A-Za-z][\w.-]{0,254}$/.test(requested.name)) {
      throw invalidTemplate(
        `Invalid stack name ${requested.name} must contain only alphanumeric or "_-." characters, must start with alpha and must be 255 characters or less.`,
      );
    }
    if (this.list(projectId).some((one) => one.name === requested.name)) {
      throw heatError(409, 'StackExists', `The Stack (${requested.name}) already exists.`);
    }
    const stack = this.engine.newStack({ ...requested, projectId, userId: session.user.id, userName: session.user.name });
    try {
      validateStack(this.works.cloud, stack, requested.input, session.isAdmin);
    } catch (error) {
      this.state.stacks.delete(stack.id);
      throw error;
    }
    this.engine.create(stack);
    return stack;
  }

  /** Refuses what Heat refuses at once; the rest shows in the stack's status. */
  update(
    session: Session,
    stack: Stack,
    input: StackInput,
    options: Partial<Pick<Stack, 'tags' | 'timeoutMins' | 'disableRollback'>>,
  ): void {
    if (stack.action === 'DELETE') throw heatError(400, 'NotSupported', 'Updating a stack when it is deleting is not supported.');
    validateStack(this.works.cloud, stack, input, session.isAdmin);
    Object.assign(stack, options);
    this.engine.update(stack, input);
  }

  delete(stack: Stack): void {
    if (isDeleted(stack)) return;
    if (stack.action === 'DELETE' && stack.status === 'IN_PROGRESS') return;
    void this.engine.remove(stack).settled.then(() => this.forgetOld());
  }

  /** A resource of the stack by its name. @throws HttpFailure 404. */
  resource(stack: Stack, name: string): StackResource {
    const found = stack.resources.find((one) => one.name === name);
    if (found === undefined) throw resourceNotFound(name, stack.name);
    return found;
  }

  markUnhealthy(stack: Stack, resource: StackResource, unhealthy: boolean, reason: string): void {
    if (resource.status === 'IN_PROGRESS') {
      throw heatError(409, 'ActionInProgress', `Stack ${stack.name} already has an action (${stack.action}) in progress.`);
    }
    const marked = resource.action === 'CHECK' && resource.status === 'FAILED';
    if (unhealthy && !marked) this.log.resource(stack, resource, 'CHECK', 'FAILED', reason);
    else if (!unhealthy && marked) this.log.resource(stack, resource, 'CHECK', 'COMPLETE', reason);
  }

  /** Only scaling policies take signals here. A group that may not be scaled now stays as it is, silently, as in Heat. */
  signal(stack: Stack, resource: StackResource): void {
    if (resource.type !== 'OS::Heat::ScalingPolicy') {
      throw heatError(400, 'ResourceActionNotSupported', 'signal is not supported for resource.');
    }
    const groupId = resource.properties.auto_scaling_group_id;
    const group = stack.resources.find((one) => one.physicalId === groupId);
    if (group === undefined) return;
    const work = this.works.of(stack, group);
    const [input, nested] = [scaled(work, resource.properties), work.nested()];
    if (input !== undefined && nested !== undefined) this.engine.update(nested, input);
  }

  /** Ends the stack's creation or update; false where none is in progress. */
  cancelUpdate = (stack: Stack): boolean => this.engine.cancelUpdate(stack);

  /** Looks whether what the resources stand for still exists; what is gone becomes CHECK_FAILED. */
  check(stack: Stack): void {
    this.log.stack(stack, 'CHECK', 'IN_PROGRESS', 'Stack CHECK started');
    const lost = stack.resources.filter((resource) => !this.isThere(stack, resource));
    if (lost.length === 0) this.log.stack(stack, 'CHECK', 'COMPLETE', 'Stack CHECK completed successfully');
    else {
      const names = lost.map((one) => one.name).join(', ');
      this.log.stack(stack, 'CHECK', 'FAILED', `Resource CHECK failed: ["['NotFound: resources.${names}: not found']"]`);
    }
  }

  private isThere(stack: Stack, resource: StackResource): boolean {
    const work = this.works.of(stack, resource);
    const type = this.works.typeOf(stack, resource);
    const nested = work.nested();
    if (nested !== undefined) {
      this.check(nested);
      const fine = nested.status === 'COMPLETE';
      this.log.resource(stack, resource, 'CHECK', fine ? 'COMPLETE' : 'FAILED', fine ? 'state changed' : nested.reason);
      return fine;
    }
    if (type.needsReplaceFailed === undefined) {
      this.log.resource(stack, resource, 'CHECK', 'COMPLETE', `CHECK not supported for ${resource.type}`);
      return true;
    }
    const gone = type.needsReplaceFailed(work);
    this.log.resource(
      stack,
      resource,
      'CHECK',
      gone ? 'FAILED' : 'COMPLETE',
      gone ? `NotFound: resources.${resource.name}: not found` : 'state changed',
    );
    return !gone;
  }

  /** Stacks that were deleted shrink to their shells, and the oldest are forgotten. */
  private forgetOld(): void {
    const deleted = [...this.state.stacks.values()].filter((one) => one.deletedAt !== null);
    for (const stack of deleted) {
      stack.input = { ...stack.input, template: withoutResources(stack.input.template), files: {} };
      stack.events = stack.events.slice(-20);
    }
    for (const stack of deleted.slice(0, -MAX_DELETED)) this.state.stacks.delete(stack.id);
  }
}

const withoutResources = (template: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(template)
      .filter(([name]) => name !== 'outputs')
      .map(([name, value]) => [name, name === 'resources' ? {} : value]),
  );

export const isDeleted = (stack: Stack): boolean => stack.action === 'DELETE' && stack.status === 'COMPLETE';

const SECTIONS = [
  'parameters',
  'parameter_defaults',
  'resource_registry',
  'encrypted_param_names',
  'event_sinks',
  'parameter_merge_strategies',
];

/** The environment of a request. @throws HttpFailure 400. */
export function environmentOf(given: Json | undefined): JsonObject {
  if (given === undefined || given === null || given === '') return {};
  if (!isJsonObject(given))
    throw badRequest('Environment not in valid format: The environment is not a valid YAML mapping data type.');
  const unknown = Object.keys(given).find((name) => !SECTIONS.includes(name));
  if (unknown !== undefined) throw badRequest(`Environment not in valid format: environment has wrong section "${unknown}"`);
  return given;
}
