import { InvariantError, type Json, type JsonObject } from '@windlass/foundation';
import { defaultRetry, mismatchOf, type ActionContract, type BoundAction, type StepRun } from '@windlass/saga';

/** A step of another service that a plan has run. */
export interface OfferedStep {
  action: string;
  input: JsonObject;
}

/**
 * Stands in for the actions that other services offer: takes what they say that they take, and nothing else, remembers what was asked for, and
 * forgets what is undone. What they do on machines their own services' tests show.
 */
export class OfferedStandIns {
  /** The steps that are done and not undone, by their ids. */
  readonly done = new Map<string, OfferedStep>();

  /**
   * @param contracts those that there are
   * @param outputs what a step gives, by its action's name; nothing unless given
   */
  constructor(
    private readonly contracts: readonly ActionContract[],
    private readonly outputs: Readonly<Record<string, (input: JsonObject) => Json>> = {},
  ) {}

  /** The stand-ins, for a bench's `others`. */
  get bound(): BoundAction[] {
    return this.contracts.map((contract) => this.#standIn(contract));
  }

  /** The stand-ins for one service's actions. */
  boundOf(service: string): BoundAction[] {
    return this.contracts.filter((contract) => contract.service === service).map((contract) => this.#standIn(contract));
  }

  /** The inputs of an action's steps that are done and not undone, in their order. */
  inputsOf(action: string): JsonObject[] {
    return [...this.done.values()].filter((step) => step.action === action).map(({ input }) => input);
  }

  #standIn({ name, version, accepts }: ActionContract): BoundAction {
    if (accepts === undefined) throw new InvariantError(`${name}@${version} does not say what it takes: nobody can offer it`);
    return {
      key: `${name}@${version}`,
      retry: defaultRetry,
      within: undefined,
      accepts,
      apply: ({ stepId, input }: StepRun) => {
        const wrong = mismatchOf(input, accepts);
        if (wrong !== undefined) throw new InvariantError(`${stepId}: ${wrong.path} ${wrong.reason}`);
        this.done.set(stepId, { action: name, input });
        return Promise.resolve(this.outputs[name]?.(input));
      },
      undo: ({ stepId }: StepRun) => Promise.resolve(void this.done.delete(stepId)),
      stop: () => Promise.resolve(true),
    };
  }
}
