import { InvariantError, type JsonObject } from '@windlass/foundation';
import type {
  DriverDescription,
  Hook,
  HookContext,
  ManagementDriver,
  ValidateReply,
  ValidateRequest,
} from '@windlass/mgmt-driver';
import type { ActionContract, Plan } from '@windlass/saga';

/** The definition of a driver: its hooks, its plan at each, and the rules for requests. */
export interface DriverDefinition {
  /** The implementation's name in VNFDs: `mgmt-drivers-kubernetes`. */
  name: string;
  /** Semantic version; it stands in the journal beside each plan. */
  version: string;
  /** The service whose workers run its actions. */
  service: string;
  /** Every action of that service. */
  actions: readonly { readonly name: string; readonly version: number }[];
  /** Actions that plans of other drivers may use; each says what it takes (`accepts`). None unless given. */
  offers?: readonly Pick<ActionContract, 'name' | 'version' | 'accepts'>[];
  /** JSON Schema (2020-12) of `additionalParams`; secrets are `writeOnly`. lcm-api compares requests with it before the driver is asked. */
  parameters: JsonObject;
  /** The same for operations on an existing instance. The parameters of operations without a schema are not checked. */
  operationParameters?: NonNullable<DriverDescription['operationParameters']>;
  /** The plan of each hook, pure: no clock, no randomness, no machine. A hook that is missing here is one that the driver does not have. */
  hooks: Readonly<Partial<Record<Hook, (context: HookContext) => Omit<Plan, 'madeBy'>>>>;
  /** Checks of a request, by its operation, for what the schema can't say. Operations without a check are not checked. */
  checks?: Readonly<Partial<Record<ValidateRequest['operation'], (request: ValidateRequest) => ValidateReply>>>;
}

/** A driver whose answers are computed at once, from the request alone. */
export interface PureDriver extends ManagementDriver {
  validate(request: ValidateRequest): ValidateReply;
  plan(context: HookContext): Plan;
}

/** Makes a management driver of its definition. A question about a hook that it does not have throws an InvariantError. */
export function defineDriver(definition: DriverDefinition): PureDriver {
  const { name, version, service, parameters, operationParameters, hooks, offers = [], checks = {} } = definition;
  const description: DriverDescription = {
    contract: 2,
    driver: name,
    version,
    service,
    hooks: Object.keys(hooks) as Hook[],
    actions: definition.actions.map((action) => ({ name: action.name, version: action.version })),
    ...(offers.length === 0 ? {} : { offers: offers.map(offered) }),
    parameters,
    ...(operationParameters === undefined ? {} : { operationParameters }),
  };
  return {
    describe: () => description,
    validate: (request) => checks[request.operation]?.(request) ?? { invalidParams: [], warnings: [], normalised: {} },
    plan: (context) => {
      const plan = hooks[context.hook]?.(context);
      if (plan === undefined) throw new InvariantError(`${name} does nothing at ${context.hook} in this release`);
      return { madeBy: { driver: name, version }, ...plan };
    },
  };
}

function offered({
  name,
  version,
  accepts,
}: Pick<ActionContract, 'name' | 'version' | 'accepts'>): NonNullable<DriverDescription['offers']>[number] {
  if (accepts === undefined) throw new InvariantError(`${name}@${version} is offered and does not say what it takes`);
  return { name, version, input: accepts };
}
