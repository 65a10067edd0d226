import { InvariantError, seconds, TransientError, type Json, type JsonObject } from '@windlass/foundation';
import { SOURCES, type HookContext } from '@windlass/mgmt-driver';
import {
  compilePlan,
  ExpandInto,
  Present,
  resolveReferences,
  sourcesOf,
  type BoundAction,
  type CompiledStep,
  type Plan,
  type StepRun,
} from '@windlass/saga';

/** The worker died: another takes the step over, in the same attempt. */
export class Crash extends Error {}

export interface RunnerOptions {
  actions: readonly BoundAction[];
  hook: HookContext;
  /** With its secrets. */
  params: JsonObject;
  onProgress?: (step: string, line: string) => void;
}

/** Runs a plan's steps as a worker would, each once the ones before it are done, without engine, database or messages. */
export class PlanRunner {
  readonly outputs = new Map<string, Json>();
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
    for (const vnfc of options.hook.vnfcs) this.#sources.set(SOURCES.vnfc(vnfc.id), vnfc as unknown as Json);
  }

  get steps(): CompiledStep[] {
    return this.#compiled.steps;
  }

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

  /** The step's action, with its input resolved, to be driven by hand. */
  action(id: string): BoundAction {
    const { action, version } = this.step(id);
    const found = this.#actions.get(`${action}@${version}`);
    if (found === undefined) throw new InvariantError(`there is no action ${action}@${version}`);
    return found;
  }

  step(id: string): CompiledStep {
    const found = this.steps.find((step) => step.id === id);
    if (found === undefined) throw new InvariantError(`the plan has no step ${id}`);
    return found;
  }

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
      progress: (line) => this.options.onProgress?.(id, line),
      ...more,
    };
  }

  async #perform(step: CompiledStep): Promise<void> {
    const began = performance.now();
    const action = this.action(step.id);
    for (let claim = { epoch: 1, attempt: 1, attemptEpoch: 1, resumed: false }; ;) {
      try {
        const output = await performOnce(action, this.runOf(step.id, claim));
        if (output !== undefined) this.outputs.set(step.id, output);
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

/** Check, then apply: what a worker does with a claim. */
export async function performOnce(action: BoundAction, run: StepRun): Promise<Json | undefined> {
  const there = await action.check?.(run);
  if (there instanceof Present) return there.output;
  if (there === true) return undefined;
  const result = await action.apply(run);
  if (result instanceof ExpandInto) throw new InvariantError('no action of this service makes a plan');
  return result;
}
