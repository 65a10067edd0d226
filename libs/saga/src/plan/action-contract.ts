import type { Jsonable, JsonObject } from '@windlass/foundation';
import type { InputSchema } from './input-schema.js';
import type { StepNode, StepTraits } from './plan.js';
import type { GivenInput, StandsFor, StepWithOutput } from './refs.js';

/**
 * What a service does for the plans of others, declared once and without its implementation: plans make steps of it with {@link stepOf}, the
 * service binds its work to it with `implementAction`. The name and version stand in journals: neither is changed without the other.
 */
export interface ActionContract<Input = unknown, Output = unknown> extends StandsFor<{ input: Input; output: Output }> {
  /** The service whose replicas run it. */
  readonly service: string;
  /** Verb-noun, such as `join-worker`. */
  readonly name: string;
  readonly version: number;
  /** What it takes, references resolved. What does not fit fails the step before anything is done, and has nothing to be undone. */
  readonly accepts?: InputSchema;
}

/** What an action takes, references resolved. */
export type InputOf<A extends ActionContract> = A extends ActionContract<infer Input> ? Input : never;
/** What an action gives. */
export type OutputOf<A extends ActionContract> = A extends ActionContract<unknown, infer Output> ? Output : never;

/** Declares an action: what it takes and what it gives, both JSON. An action without an output gives `undefined`. */
export const defineAction = <Input extends Jsonable<Input>, Output extends Jsonable<Output> = undefined>(
  contract: Pick<ActionContract, 'service' | 'name' | 'version' | 'accepts'>,
): ActionContract<Input, Output> => contract as ActionContract<Input, Output>;

/** A step of a plan that knows what it will give. */
export type Step<Output = unknown> = StepNode & StandsFor<Output>;

/** What a plan's author says of a step. */
export interface StepGiven<Input> {
  /** The action's name unless given; a plan that has the action twice must give it. */
  id?: string;
  /** Each member is a value of its type, or a reference to one. */
  input: GivenInput<Input>;
  target?: string;
  limits?: string[];
  /** Steps that it waits for beside those that its place makes it wait for. */
  after?: readonly Pick<StepNode, 'id'>[];
  traits?: StepTraits;
}

/** A step that does an action. @see StepNode for what is given beside the input */
export function stepOf<Input, Output>(
  action: ActionContract<Input, Output>,
  { id = action.name, input, target, limits, after, traits }: StepGiven<NoInfer<Input>>,
): Step<Output> {
  const node: StepNode = {
    kind: 'step',
    id,
    action: action.name,
    version: action.version,
    service: action.service,
    ...(target === undefined ? {} : { target }),
    ...(limits === undefined ? {} : { limits }),
    ...(after === undefined ? {} : { after: after.map((step) => step.id) }),
    ...(traits === undefined ? {} : { traits }),
    input: input as JsonObject,
  };
  return node as Step<Output>;
}

/** The step that does an action under that id (the action's name unless given), for references to it where the step itself is not at hand. */
export const stepCalled = <Output>(action: ActionContract<unknown, Output>, id = action.name): StepWithOutput<Output> =>
  ({ id }) as StepWithOutput<Output>;
