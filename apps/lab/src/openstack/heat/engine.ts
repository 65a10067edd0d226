import { setImmediate as nextTick } from 'node:timers/promises';
import type { JsonObject } from '@windlass/foundation';
import type { Faults } from '../faults/faults.js';
import { HttpFailure } from '../http/answer.js';
import { hexId, isoSeconds, shortId, uuid } from '../state/ids.js';
import type { ResourceAction, Stack, StackInput, StackResource } from '../state/state.js';
import { despiteConflicts } from './conflicts.js';
import { reversed, walkGraph } from './graph.js';
import { failureOf, nestedFailure, ResourceFailure } from './template/heat-errors.js';
import { lookupFor } from './lookup.js';
import { checkProperties } from './template/properties.js';
import type { ResourceType, Work } from './resources/resource-type.js';
import type { StackModel } from './stack-model.js';
import type { StackLog } from './stack-log.js';
import { Traversal } from './traversal.js';
import { validateStack } from './validation.js';
import { verdictOf, type Change } from './verdict.js';
import type { Works } from './works.js';

export interface EngineOptions {
  /** How long each resource's action takes at least, in milliseconds. */
  pace: number;
  /** The unit of the pauses before a deletion that met a Conflict is tried again, in milliseconds: twice that, then doubled. */
  conflictPause: number;
  /** One minute of a stack's time-out, in milliseconds; shorter in tests. */
  minute: number;
  /** When resources are made, in ms since 1970. */
  clock: () => number;
}

/** How long a deleted stack keeps its name. */
const NAME_KEPT_MS = 20;

/** Does the work on stacks: makes, changes and removes resources in the order of their dependencies. */
export class Engine {
  readonly #running = new Map<string, Traversal>();

  constructor(
    private readonly works: Works,
    private readonly log: StackLog,
    private readonly faults: Faults,
    private readonly options: EngineOptions,
  ) {}

  /** A new stack, known to the cloud, with nothing made yet. */
  newStack(requested: Pick<Stack, 'name' | 'projectId' | 'userId' | 'userName' | 'input'> & Partial<Stack>): Stack {
    const stack: Stack = {
      id: uuid(),
      parentId: null,
      parentResource: null,
      userProjectId: hexId(),
      tags: [],
      timeoutMins: null,
      disableRollback: true,
      action: 'CREATE',
      status: 'IN_PROGRESS',
      reason: 'Stack CREATE started',
      createdAt: isoSeconds(),
      updatedAt: null,
      deletedAt: null,
      resources: [],
      superseded: [],
      events: [],
      ...requested,
    };
    this.works.cloud.state.stacks.set(stack.id, stack);
    return stack;
  }

  create = (stack: Stack): Traversal =>
    this.begin(stack, 'CREATE', async (traversal) => {
      const model = this.works.model(stack);
      const names = [...model.definitions.keys()].reverse();
      const now = isoSeconds(this.options.clock());
      stack.resources = names.map((name) => this.newResource(stack, model, name, now));
      await walkGraph(model.requires, (name) => this.createOne(stack, model, this.resource(stack, name), traversal));
    });

  /** Brings the stack to another input: makes what is new, changes or replaces what differs, then removes what is left over. */
  update(stack: Stack, input: StackInput, action: ResourceAction = 'UPDATE'): Traversal {
    const previous = stack.input;
    stack.input = input;
    const work = async (traversal: Traversal): Promise<void> => {
      const model = this.works.model(stack);
      await walkGraph(model.requires, (name) => this.converge(stack, model, name, traversal));
      if (traversal.outcome === undefined) await this.cleanUp(stack, model, traversal);
    };
    return this.begin(stack, action, work, previous);
  }

  /** Removes everything; nested stacks are forgotten then, a stack at the top stays as DELETE_COMPLETE. */
  remove = (stack: Stack, action: ResourceAction = 'DELETE'): Traversal =>
    this.begin(stack, action, (traversal) => this.removeAll(stack, [...stack.resources, ...stack.superseded], traversal));

  /** Ends a creation or an update where it is, in nested stacks too; what has begun comes to its own end. False where none is in progress. */
  cancelUpdate(stack: Stack): boolean {
    const traversal = this.#running.get(stack.id);
    const { action } = stack;
    if (traversal === undefined || (action !== 'UPDATE' && action !== 'CREATE') || stack.status !== 'IN_PROGRESS') return false;
    this.log.stack(stack, action, 'FAILED', `Stack ${action} cancelled`);
    traversal.cancel();
    for (const one of this.works.cloud.state.stacks.values()) if (one.parentId === stack.id) this.cancelUpdate(one);
    return true;
  }

  /** Resolves when no work runs on the stack. */
  idle = async (stackId: string): Promise<void> => this.#running.get(stackId)?.settled;

  /** Resolves when no work runs on any stack. */
  settled = async (): Promise<void> => {
    await Promise.all([...this.#running.values()].map((traversal) => traversal.settled));
  };

  /** Ends all work, for the emulator stops. */
  async stop(): Promise<void> {
    const all = [...this.#running.values()];
    for (const traversal of all) traversal.cancel();
    await Promise.all(all.map((traversal) => traversal.settled));
  }

  private begin(
    stack: Stack,
    action: ResourceAction,
    work: (traversal: Traversal) => Promise<void>,
    previous: StackInput = stack.input,
  ): Traversal {
    const earlier = this.#running.get(stack.id);
    earlier?.cancel();
    const traversal = new Traversal(action);
    this.#running.set(stack.id, traversal);
    if (action !== 'CREATE') stack.updatedAt = isoSeconds();
    this.log.stack(stack, action, 'IN_PROGRESS', `Stack ${action} started`);
    const limit = this.watchTime(stack, traversal);
    traversal.settled = (async () => {
      await earlier?.settled;
      await nextTick();
      if (stack.parentId === null) await traversal.pause(this.faults.stackDelay(stack.name));
      if (!traversal.cancelled) await work(traversal);
      this.conclude(stack, traversal);
    })()
      .catch((error: unknown) => this.fail(stack, traversal, error instanceof Error ? error.message : String(error)))
      .finally(() => {
        clearTimeout(limit);
        if (this.#running.get(stack.id) === traversal) this.#running.delete(stack.id);
        this.rollBack(stack, traversal, previous);
      });
    return traversal;
  }

  private watchTime(stack: Stack, traversal: Traversal): NodeJS.Timeout | undefined {
    if (stack.timeoutMins === null || stack.parentId !== null) return undefined;
    const timer = setTimeout(() => this.fail(stack, traversal, 'Timed out'), stack.timeoutMins * this.options.minute);
    timer.unref();
    return timer;
  }

  private conclude(stack: Stack, traversal: Traversal): void {
    if (!traversal.conclude('COMPLETE')) return;
    const { action } = traversal;
    if (action === 'DELETE') stack.resources = [];
    this.log.stack(stack, action, 'COMPLETE', `Stack ${action} completed successfully`);
    if (action === 'DELETE') this.purge(stack);
    // Real Heat lets go of the name a moment after DELETE_COMPLETE can be seen.
    if (action === 'DELETE') setTimeout(() => (stack.deletedAt = isoSeconds()), NAME_KEPT_MS).unref();
  }

  /** A deleted stack is found by its name for a moment still, as in real Heat; then by its id only. */
  private purge(stack: Stack): void {
    const purged = (): void => {
      stack.deletedAt = isoSeconds();
    };
    if (this.options.pace === 0) purged();
    else setTimeout(purged, this.options.pace).unref();
  }

  private fail(stack: Stack, traversal: Traversal, reason: string): void {
    if (traversal.conclude('FAILED')) this.log.stack(stack, traversal.action, 'FAILED', reason);
  }

  /** Undoes a failed creation or update where the stack was asked to. */
  private rollBack(stack: Stack, traversal: Traversal, previous: StackInput): void {
    if (traversal.outcome !== 'FAILED' || stack.disableRollback || stack.parentId !== null) return;
    if (traversal.action === 'CREATE') this.remove(stack, 'ROLLBACK');
    else if (traversal.action === 'UPDATE') this.update(stack, previous, 'ROLLBACK');
  }

  private resource(stack: Stack, name: string): StackResource {
    const found = stack.resources.find((one) => one.name === name);
    if (found === undefined) throw new Error(`stack ${stack.name} has no resource ${name}`);
    return found;
  }

  private newResource(stack: Stack, model: StackModel, name: string, now: string): StackResource {
    const definition = model.definitions.get(name);
    if (definition === undefined) throw new Error(`the template of ${stack.name} has no resource ${name}`);
    return {
      name,
      type: definition.type,
      short: shortId(),
      action: 'INIT',
      status: 'COMPLETE',
      reason: '',
      physicalId: null,
      definition,
      properties: {},
      requires: model.requires.get(name) ?? [],
      data: {},
      createdAt: now,
      updatedAt: now,
    };
  }

  /** Properties as they are to be now: evaluated, checked, names looked up. */
  private evaluated(stack: Stack, model: StackModel, name: string, type: ResourceType): JsonObject {
    const raw = model.properties(name, this.works.live(stack));
    if (type.name === 'OS::Heat::None') return raw;
    const lookup = lookupFor(this.works.cloud, stack);
    return checkProperties(type.properties, raw, `resources.${name}.properties`, { lookup, required: true });
  }

  private createOne(stack: Stack, model: StackModel, resource: StackResource, traversal: Traversal): Promise<boolean> {
    return this.perform(stack, resource, 'CREATE', traversal, async () => {
      const type = this.works.typeOf(stack, resource);
      const work = this.works.of(stack, resource, this.evaluated(stack, model, resource.name, type));
      resource.properties = work.properties;
      if (type.nested === undefined) await type.create?.(work);
      else await this.createNested(work, type);
    });
  }

  private async createNested(work: Work, type: ResourceType): Promise<void> {
    const { stack, resource } = work;
    const [input] = type.nested?.inputs(work, undefined, undefined) ?? [];
    if (input === undefined) return;
    const { projectId, userId, userName, userProjectId } = stack;
    const name = work.physicalName();
    const nested = this.newStack({
      name,
      projectId,
      userId,
      userName,
      userProjectId,
      input,
      parentId: stack.id,
      parentResource: resource.name,
    });
    this.checkNested(nested, input, resource, true);
    resource.physicalId = nested.id;
    await this.follow(this.create(nested), nested, resource, 'CREATE');
  }

  /** A nested stack is checked when its turn comes; what is wrong with it is the resource's failure. */
  private checkNested(nested: Stack, input: StackInput, resource: StackResource, isNew: boolean): void {
    const { state } = this.works.cloud;
    const isAdmin = state.users.get(nested.userId)?.roles[nested.projectId]?.includes('admin') ?? false;
    try {
      validateStack(this.works.cloud, nested, input, isAdmin);
    } catch (error) {
      if (isNew) state.stacks.delete(nested.id);
      if (!(error instanceof HttpFailure)) throw error;
      throw new ResourceFailure('', ['resources', resource.name], error.message.replaceAll(': : ', ': '));
    }
  }

  /** Waits for a nested stack, whose failure is the resource's. */
  private async follow(traversal: Traversal, nested: Stack, resource: StackResource, action: string): Promise<void> {
    const outcome = await traversal.decided;
    if (outcome === 'FAILED') throw nestedFailure(nested.reason, resource.name, action);
    if (outcome === 'CANCELLED') throw new ResourceFailure('', ['resources', resource.name], `Stack ${action} cancelled`);
  }

  /** Makes the resource as the new template wants it. */
  private async converge(stack: Stack, model: StackModel, name: string, traversal: Traversal): Promise<boolean> {
    const existing = stack.resources.find((one) => one.name === name);
    const definition = model.definitions.get(name);
    if (definition === undefined || traversal.cancelled) return false;
    if (existing === undefined) return this.createOne(stack, model, this.added(stack, model, name), traversal);
    if (existing.type !== definition.type) return this.replace(stack, model, existing, traversal);
    const type = this.works.typeOf(stack, existing);
    const verdict = verdictOf(this.works.of(stack, existing), type, () => this.evaluated(stack, model, existing.name, type));
    if (verdict.kind === 'failed') return this.perform(stack, existing, 'UPDATE', traversal, () => Promise.reject(verdict.error));
    if (verdict.kind === 'replace') return this.replace(stack, model, existing, traversal);
    existing.requires = model.requires.get(name) ?? [];
    existing.definition = definition;
    if (verdict.kind === 'same') {
      if (existing.status === 'FAILED') this.log.resource(stack, existing, existing.action, 'COMPLETE', UNCHANGED);
      return true;
    }
    return this.perform(stack, existing, 'UPDATE', traversal, () => this.change(stack, existing, type, verdict));
  }

  private async change(stack: Stack, resource: StackResource, type: ResourceType, to: Change): Promise<void> {
    const before = resource.properties;
    const work = this.works.of(stack, resource, to.properties);
    resource.properties = to.properties;
    if (type.nested === undefined) {
      await type.update?.(work, to.changed, before);
      return;
    }
    const nested = work.nested();
    if (nested === undefined) throw new ResourceFailure('NotFound', ['resources', resource.name], 'The nested stack is gone');
    for (const input of type.nested.inputs(work, nested, before)) {
      this.checkNested(nested, input, resource, false);
      await this.follow(this.update(nested, input), nested, resource, 'UPDATE');
    }
  }

  private added(stack: Stack, model: StackModel, name: string): StackResource {
    const resource = this.newResource(stack, model, name, isoSeconds(this.options.clock()));
    stack.resources.push(resource);
    return resource;
  }

  /** The replacement is made first; the old resource is removed when the whole update has succeeded. */
  private async replace(stack: Stack, model: StackModel, old: StackResource, traversal: Traversal): Promise<boolean> {
    const work = this.works.of(stack, old);
    if (old.action !== 'INIT') stack.superseded.push(old);
    // The template of an old nested stack may no longer be among the files; such a resource needs no preparation.
    if (old.action !== 'INIT' && work.nested() === undefined) await this.works.typeOf(stack, old).prepareReplace?.(work);
    stack.resources = stack.resources.filter((one) => one !== old);
    return this.createOne(stack, model, this.added(stack, model, old.name), traversal);
  }

  private async cleanUp(stack: Stack, model: StackModel, traversal: Traversal): Promise<void> {
    const removed = stack.resources.filter((one) => !model.definitions.has(one.name));
    await this.removeAll(stack, [...stack.superseded, ...removed], traversal);
  }

  private async removeAll(stack: Stack, resources: StackResource[], traversal: Traversal): Promise<void> {
    const keys = new Map(resources.map((resource, index) => [`${index}`, resource]));
    const requires = new Map<string, string[]>();
    for (const [key, resource] of keys) {
      requires.set(
        key,
        [...keys].filter(([other, one]) => other !== key && resource.requires.includes(one.name)).map(([other]) => other),
      );
    }
    await walkGraph(reversed(requires), async (key) => {
      const resource = keys.get(key);
      return resource === undefined || this.removeOne(stack, resource, traversal);
    });
  }

  private async removeOne(stack: Stack, resource: StackResource, traversal: Traversal): Promise<boolean> {
    const gone = await this.erased(stack, resource, traversal);
    if (gone) {
      stack.superseded = stack.superseded.filter((one) => one !== resource);
      stack.resources = stack.resources.filter((one) => one !== resource);
    }
    return gone;
  }

  private async erased(stack: Stack, resource: StackResource, traversal: Traversal): Promise<boolean> {
    if (resource.action === 'INIT') return true;
    return this.perform(stack, resource, 'DELETE', traversal, async () => {
      if (['retain', 'snapshot'].includes(resource.definition.deletionPolicy)) return;
      const work = this.works.of(stack, resource);
      const nested = work.nested();
      if (nested === undefined) {
        const type = this.works.typeOf(stack, resource);
        if (resource.physicalId !== null)
          await despiteConflicts(traversal, this.options.conflictPause, async () => type.remove?.(work));
        return;
      }
      await this.follow(this.remove(nested), nested, resource, 'DELETE');
      this.works.cloud.state.stacks.delete(nested.id);
    });
  }

  /** Runs one action on one resource and tells how it ended. */
  private async perform(
    stack: Stack,
    resource: StackResource,
    action: ResourceAction,
    traversal: Traversal,
    job: () => Promise<void>,
  ): Promise<boolean> {
    if (traversal.cancelled) return false;
    this.log.resource(stack, resource, action, 'IN_PROGRESS');
    try {
      await traversal.pause(this.options.pace);
      const reason = this.faults.resourceFailure({ stack: stack.name, resource: resource.name, type: resource.type, action });
      if (reason !== undefined) throw new ResourceFailure('ResourceInError', ['resources', resource.name], reason);
      await job();
      this.log.resource(stack, resource, action, 'COMPLETE');
      return true;
    } catch (error) {
      const failure = failureOf(error, resource.name);
      this.log.resource(stack, resource, action, 'FAILED', failure.message);
      this.fail(stack, traversal, `Resource ${action} failed: ${failure.message}`);
      return false;
    }
  }
}

const UNCHANGED = 'Update status to COMPLETE for FAILED resource neither update nor replace.';
