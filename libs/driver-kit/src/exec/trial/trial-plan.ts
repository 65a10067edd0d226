import { isDeepStrictEqual } from 'node:util';
import { seconds, TerminalError, toJson, type Json, type JsonObject } from '@windlass/foundation';
import { SOURCES, type Hook, type HookContext } from '@windlass/mgmt-driver';
import { compileBounded, resolveReferences, sourcesOf, type CompiledStep, type Plan, type StepRun } from '@windlass/saga';
import type { ExecAction } from '../description.js';
import type { ExecutableDriver } from '../executable-driver.js';
import { contextOf, paramsAt, type Example } from './example.js';

/** The plan that a driver gave for a hook, to be run by hand. */
export class TrialPlan {
  readonly outputs = new Map<string, Json>();

  private constructor(
    readonly driver: ExecutableDriver,
    readonly steps: readonly CompiledStep[],
    private readonly context: HookContext,
    private readonly sources: ReadonlyMap<string, Json>,
  ) {}

  /**
   * Asks twice, and holds the plan to its bounds.
   * @throws TerminalError `plan.refused`, `driver.plan-differs`, `driver.no-undo`
   */
  static async of(driver: ExecutableDriver, hook: Hook, example: Example): Promise<TrialPlan> {
    const description = driver.describe();
    const context = contextOf(hook, example, description);
    const plan = await driver.plan(context);
    if (!isDeepStrictEqual(await driver.plan(context), plan))
      throw new TerminalError(
        'driver.plan-differs',
        'it gave another plan when it was asked again: no clock, no randomness, nothing looked at was expected',
      );
    const sources = new Map<string, Json>([
      [SOURCES.instantiateParams, example.additionalParams],
      [SOURCES.requestParams, paramsAt(hook, example)],
      [SOURCES.retryParams, {}],
      ...context.vnfcs.map((vnfc): [string, Json] => [SOURCES.vnfc(vnfc.id), toJson(vnfc)]),
    ]);
    const { steps } = compileBounded(plan satisfies Plan, 'hook', {
      ...{ driver: description.driver, service: description.service, actions: description.actions, offers: [] },
      ...{ sources: new Set(sources.keys()), steps: new Set<string>() },
      limits: new Set(context.vnfcs.flatMap(({ id, resourceId }) => [`host:${id}`, `host:${resourceId}`])),
    });
    const made = new TrialPlan(driver, steps, context, new Map([...sources, ...commonOf(plan)]));
    for (const step of steps)
      if (step.traits.undoable !== false && !made.action(step).undo)
        throw new TerminalError(
          'driver.no-undo',
          `step ${step.id} can be undone by its plan, and its action has no "undo": set "undo": true in the description, or "traits": {"undoable": false} in the step`,
        );
    return made;
  }

  /**
   * The action of a step, as the driver describes it.
   * @throws TerminalError `driver.no-action`
   */
  action({ action, version, id }: CompiledStep): ExecAction {
    const found = this.driver.description.actions.find((each) => each.name === action && each.version === version);
    if (found !== undefined) return found;
    throw new TerminalError('driver.no-action', `step ${id} has the action ${action}@${version}, which the driver does not have`);
  }

  /** A claim of a step, its input resolved with what earlier steps gave. */
  runOf(step: CompiledStep, more: Partial<StepRun> = {}): StepRun {
    return {
      ...{ operationId: this.context.operationId, stepId: step.id, epoch: 1, attempt: 1, attemptEpoch: 1, resumed: false },
      ...{ phase: 'do' as const, target: step.target, tenant: this.context.tenant },
      input: this.#input(step),
      signal: new AbortController().signal,
      assertLease: () => undefined,
      leaseLeft: () => seconds(30),
      onlyWaits: () => undefined,
      progress: () => undefined,
      ...more,
    };
  }

  #input(step: CompiledStep): JsonObject {
    const sources = new Map(this.sources);
    for (const source of sourcesOf(step.input)) {
      const output = source.startsWith('step:') ? this.outputs.get(source.slice('step:'.length)) : undefined;
      if (output !== undefined) sources.set(source, output);
    }
    return resolveReferences(step.input, sources);
  }
}

const commonOf = ({ common }: Plan): [string, Json][] => (common === undefined ? [] : [['common:hook', common]]);
