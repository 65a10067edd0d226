import { derivedUuid } from '@windlass/foundation';
import {
  defineAction,
  sequence,
  stepOf,
  type ActionContract,
  type GivenInput,
  type Plan,
  type PlanNode,
  type Step,
  type StepTraits,
} from '@windlass/saga';
import { HOOKS, type Hook, type HookedOperation } from '@windlass/mgmt-driver';
import type { LcmOperation, OpOccRecord, VnfInstanceRecord } from '../records/records.js';
import type { PackageRecord } from '../ports.js';
import { PROCESSING } from '../records/operation-state.js';
import { COORDINATOR_SERVICE } from '../records/services.js';

/** What an operation's plan is made from. Read when the operation begins; what changes later comes by reference. */
export interface SagaContext {
  opOcc: OpOccRecord;
  instance: VnfInstanceRecord;
  package: PackageRecord;
  flavourId: string;
  /** What the NFVO is asked before anything is used (SOL003 9.5.2.2), as JSON text; absent where the grant is local. */
  grantRequest?: string;
  /** How images of packages are shared; absent: each instance has its own. */
  sharing?: Sharing;
}

export interface Sharing {
  /** Separates uploads to one cloud from those to others; see `projectReached`. Empty while the grant may still name another VIM. */
  project: string;
}

/** Before the work of an operation, or after it. */
export type HookPoint = 'start' | 'end';

type Part = (context: SagaContext) => PlanNode | undefined;

/** The order of an operation's steps, and nothing else. */
export class OperationSagaBuilder {
  readonly #parts: Part[] = [];

  step(part: Part): this {
    this.#parts.push(part);
    return this;
  }

  /** Marks the last part as the end of STARTING; in a sequence, its last step is. If a step of the part fails, the operation ends ROLLED_BACK. */
  becomes(milestone: typeof PROCESSING): this {
    const part = this.#parts.pop();
    if (part !== undefined) {
      this.#parts.push((context) => {
        const node = part(context);
        return node === undefined ? undefined : ending(node, { milestone, onFailure: 'roll-back' });
      });
    }
    return this;
  }

  /** Past the last step nothing can be rolled back. */
  pivot(): this {
    const part = this.#parts.pop();
    if (part !== undefined) {
      this.#parts.push((context) => {
        const node = part(context);
        return node?.kind === 'step' ? { ...node, traits: { ...node.traits, pivot: true } } : node;
      });
    }
    return this;
  }

  /** Asks the driver that the VNFD binds to this hook for its plan, which is grafted here. No driver: no step. */
  hook(operation: HookedOperation, point: HookPoint): this {
    this.#parts.push((context) => hookStep(context, `${hooksCalled(context, operation)}_${point}`));
    return this;
  }

  build(context: SagaContext): Plan {
    return { root: sequence(...this.#parts.map((part) => part(context)).filter((node): node is PlanNode => node !== undefined)) };
  }
}

/** With traits that end a state of the operation: every step of a sequence fails alike, and its last one reaches the milestone. */
function ending(node: PlanNode, { milestone, onFailure }: Required<Pick<StepTraits, 'milestone' | 'onFailure'>>): PlanNode {
  if (node.kind === 'step') return { ...node, traits: { ...node.traits, milestone, onFailure } };
  const of = node.of.map((each, index) =>
    index === node.of.length - 1
      ? ending(each, { milestone, onFailure })
      : each.kind === 'step'
        ? { ...each, traits: { ...each.traits, onFailure } }
        : each,
  );
  return { ...node, of };
}

export interface OperationSaga {
  operation: LcmOperation;
  plan(context: SagaContext): Plan;
}

/** Declares the saga of an operation. */
export function operationSaga(
  operation: LcmOperation,
  declare: (saga: OperationSagaBuilder) => OperationSagaBuilder,
): OperationSaga {
  return { operation, plan: (context) => declare(new OperationSagaBuilder()).build(context) };
}

/** A step that the coordinator runs in its own transaction; see inline-run.ts. */
export const inlineStep = <Input, Output>(
  action: ActionContract<Input, Output>,
  input: GivenInput<NoInfer<Input>>,
): Step<Output> => stepOf(action, { input, traits: { inline: true, undoable: false } });

/** Asks a driver for the plan of a hook, which is grafted below the step. The step's target is the driver. */
export const askDriverAction = defineAction<{
  hook: Hook;
  driver: string;
  /** Of a saga that is no operation occurrence. */
  internal?: true;
}>({
  service: COORDINATOR_SERVICE,
  name: 'ask-driver',
  version: 1,
});

function hookStep(context: SagaContext, hook: Hook): PlanNode | undefined {
  const driver = driverOf(context, hook);
  return driver === undefined ? undefined : askStep(hook, driver);
}

/** Asks that driver at that hook. */
export const askStep = (hook: Hook, driver: string, more: { internal?: true } = {}): PlanNode =>
  stepOf(askDriverAction, { id: hook, target: driver, input: { hook, driver, ...more }, traits: { undoable: false } });

/** The implementation's name that the VNFD binds to a hook, if any. */
export function driverOf(context: Pick<SagaContext, 'package' | 'flavourId'>, hook: Hook): string | undefined {
  const flavour = context.package.model.flavours.find(({ id }) => id === context.flavourId);
  return flavour?.lcmBindings[hook]?.implementation;
}

/**
 * The operation whose name the hooks bear in this VNFD. Where a VNFD binds neither hook of a scaling to a level, the hooks of a scaling by steps are
 * asked, so that no new VM stays unconfigured (ADR 42).
 */
export function hooksCalled(context: Pick<SagaContext, 'package' | 'flavourId'>, operation: HookedOperation): HookedOperation {
  const isBound = (point: HookPoint): boolean => driverOf(context, `${operation}_${point}`) !== undefined;
  return operation === 'scale_to_level' && !isBound('start') && !isBound('end') ? 'scale' : operation;
}

/** All drivers that hooks of the flavour are bound to; of every flavour where that is not known. */
export function driversOf({ model }: PackageRecord, flavourId?: string): string[] {
  const flavours = model.flavours.filter(({ id }) => flavourId === undefined || id === flavourId);
  const bound = flavours.flatMap(({ lcmBindings }) => HOOKS.map((hook) => lcmBindings[hook]?.implementation));
  return [...new Set(bound.filter((name) => name !== undefined))];
}

/** The id of something that this instance makes in the VIM: the same however often it is computed. */
export const derivedId = (vnfInstanceId: string, what: string): string => derivedUuid(vnfInstanceId, what);
