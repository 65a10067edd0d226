import { InvariantError, seconds, toJson, TransientError, type Json, type JsonObject } from '@windlass/foundation';
import { SOURCES, type HookContext } from '@windlass/mgmt-driver';
import {
  compilePlan,
  ExpandInto,
  NotThere,
  resolveReferences,
  sourcesOf,
  type BoundAction,
  type CompiledStep,
  type Plan,
  type StepRun,
} from '@windlass/saga';

/** The worker died: another worker takes the step over, in the same attempt. */
export class Crash extends Error {}

/** Where a worker may die in a step, beside the points of its jobs (`FakePoint`). */
export type StepPoint = 'before-apply' | 'after-apply';

/** What a plan is run with. */
export interface RunnerOptions {
  actions: readonly BoundAction[];
  /** What the plan was made for. */
  hook: HookContext;
  /** `additionalParams` of the instantiation, with its secrets. */
  params: JsonObject;
  /** `additionalParams` of the operation's own request; those of the instantiation unless given. */
  requestParams?: JsonObject;
  /** The parameters that a retry has given again; none unless given. */
  retryParams?: JsonObject;
  onProgress?: (step: string, line: string) => void;
  /** Called at each {@link StepPoint}; throwing a {@link Crash} there is the worker's death. */
  atPoint?: (point: StepPoint, step: string) => void | Promise<void>;
}

/** Runs a plan's steps as a worker would, each after the steps before it, without engine, database or messages. */
export class PlanRunner {
  /** The output of each step that gave an output, by the step's id. */
  readonly outputs = new Map<string, Json>();
  /** How long each step took, by the step's id. */
  readonly seconds = new Map<string, number>();
  readonly #compiled;
  readonly #sources = new Map<string, Json>();
  readonly #actions: ReadonlyMap<string, BoundAction>;

  constructor(
    plan: Plan,
    private readonly options: RunnerOptions,
  ) {
    this.#compiled = compilePlan(plan);
    this.#actions = new Map(options.actions.map((action) => [action.key, action]));
    this.#sources.set('common:', this.#compiled.common);
    this.#sources.set(SOURCES.instantiateParams, options.params);
    this.#sources.set(SOURCES.requestParams, options.requestParams ?? options.params);
    this.#sources.set(SOURCES.retryParams, options.retryParams ?? {});
    for (const vnfc of options.hook.vnfcs) this.#sources.set(SOURCES.vnfc(vnfc.id), toJson(vnfc));
  }

  /** In the order of the plan. */
  get steps(): CompiledStep[] {
    return this.#compiled.steps;
  }

  /** Runs the plan to its end. @throws the last error of a step that failed */
  async run(): Promise<void> {
    const done = new Map<string, Promise<void>>();
    for (const step of this.steps) {
      const before = step.deps.map((id) => done.get(id) ?? Promise.resolve());
      done.set(
        step.id,
        Promise.all(before).then(() => this.#perform(step)),
      );
    }
    await Promise.all(done.values());
  }

  /**
   * The step's action, to be driven by hand with {@link runOf}.
   * @throws InvariantError where the driver has no such step or action
   */
  action(id: string): BoundAction {
    const { action, version } = this.step(id);
    const found = this.#actions.get(`${action}@${version}`);
    if (found === undefined) throw new InvariantError(`there is no action ${action}@${version}`);
    return found;
  }

  /**
   * The step of that id.
   * @throws InvariantError where the plan has none
   */
  step(id: string): CompiledStep {
    const found = this.steps.find((step) => step.id === id);
    if (found === undefined) throw new InvariantError(`the plan has no step ${id}`);
    return found;
  }

  /** A claim of a step, its input resolved with what earlier steps gave; the first unless said otherwise. */
  runOf(id: string, more: Partial<StepRun> = {}): StepRun {
    const step = this.step(id);
    return {
      operationId: this.options.hook.operationId,
      stepId: id,
      epoch: 1,
      attempt: 1,
      attemptEpoch: 1,
      resumed: false,
      phase: 'do',
      target: step.target,
      tenant: this.options.hook.tenant,
      input: this.#input(step),
      signal: new AbortController().signal,
      assertLease: () => undefined,
      leaseLeft: () => seconds(30),
      onlyWaits: () => undefined,
      progress: (line) => this.options.onProgress?.(id, line),
      ...more,
    };
  }

  /** Check, then apply, keeping the output: what a worker does with a claim. */
  async performOnce(id: string, claim: Partial<StepRun> = {}): Promise<void> {
    const action = this.action(id);
    const run = this.runOf(id, claim);
    const there = (await action.check?.(run)) ?? false;
    if (there === false) await this.options.atPoint?.('before-apply', id);
    const output = there === false ? await action.apply(run) : there === true ? undefined : there.output;
    if (output instanceof ExpandInto) throw new InvariantError('no action of a driver makes a plan here');
    if (output instanceof NotThere) throw new InvariantError('no step of a driver has a look');
    if (there === false) await this.options.atPoint?.('after-apply', id);
    if (output !== undefined) this.outputs.set(id, output);
  }

  async #perform(step: CompiledStep): Promise<void> {
    const began = performance.now();
    const action = this.action(step.id);
    for (let claim = { epoch: 1, attempt: 1, attemptEpoch: 1, resumed: false }; ;) {
      try {
        await this.performOnce(step.id, claim);
        this.seconds.set(step.id, (performance.now() - began) / 1_000);
        return;
      } catch (error) {
        const { attempt } = claim;
        const epoch = claim.epoch + 1;
        if (error instanceof Crash) claim = { ...claim, epoch, resumed: true };
        else if (error instanceof TransientError && attempt < action.retry.attempts) {
          this.options.onProgress?.(step.id, `attempt ${attempt}: ${error.message}`);
          claim = { epoch, attempt: attempt + 1, attemptEpoch: epoch, resumed: false };
        } else throw error;
      }
    }
  }

  #input(step: CompiledStep): JsonObject {
    const sources = new Map(this.#sources);
    for (const source of sourcesOf(step.input)) {
      const output = source.startsWith('step:') ? this.outputs.get(source.slice('step:'.length)) : undefined;
      if (output !== undefined) sources.set(source, output);
    }
    return resolveReferences(step.input, sources);
  }
}
