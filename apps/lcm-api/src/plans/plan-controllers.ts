import { Controller, HttpCode, Patch, Post, Req, type Type } from '@nestjs/common';
import type { JsonObject } from '@windlass/foundation';
import { OperationTable, type OperationDefinition } from '@windlass/lifecycle';
import { V2_BODIES, type BodyClass, type LcmOperationTypeV2 } from '@windlass/sol003';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { readBody } from '../http/read-body.js';
import type { ReadBody } from '../instances/vnf-instances.js';
import { anObject } from '../routes/json-schemas.js';
import { ApiOperationRoutes, type OperationRoutes } from '../routes/route.js';
import { noResource } from '../routes/routes.js';
import { asV2 } from '../v2/read-v2.js';
import { OperationPlans, type ShownPlan } from './operation-plans.js';

/** How a version of the API reads the requests of operations. */
interface Version {
  readonly path: string;
  readonly bodyOf: (operation: string) => BodyClass | undefined;
  /** Runs the work of an operation's request, with the function that reads the body, where this version of the API needs one. */
  readonly as: <T>(definition: OperationDefinition, work: (read?: ReadBody) => Promise<T>) => Promise<T>;
  /** Whether `If-Match` means anything where an instance is modified. */
  readonly matches: boolean;
}

const shows: NonNullable<OperationRoutes['shows']> = {
  summary: 'the steps that would be run, and nothing else:',
  answer: { schema: anObject('operation', 'vnfInstanceId', 'plan', 'pointOfNoReturn', 'vms', 'estimate', 'warnings') },
};

/** The path before an operation's own path, at which its request is answered with what the operation would do. */
export const PLANS = 'windlass/v1/plans';

function planControllerOf({ path, bodyOf, as, matches }: Version): Type {
  @Controller(`${PLANS}/${path}`)
  class PlansController {
    constructor(
      private readonly plans: OperationPlans,
      private readonly operations: OperationTable,
    ) {}

    @Post(':id/:task')
    @HttpCode(200)
    @ApiOperationRoutes({ method: 'POST', bodyOf, shows })
    ofTask(@Req() request: IdentifiedRequest): Promise<ShownPlan> {
      return this.#plan(request, this.operations.at('POST', String(request.params.task)));
    }

    @Patch(':id')
    @HttpCode(200)
    @ApiOperationRoutes({ method: 'PATCH', bodyOf, refusals: matches ? [412] : [], shows })
    ofModification(@Req() request: IdentifiedRequest): Promise<ShownPlan> {
      return this.#plan(request, this.operations.at('PATCH'));
    }

    async #plan(request: IdentifiedRequest, definition: OperationDefinition | undefined): Promise<ShownPlan> {
      if (definition === undefined) throw noResource(request.path);
      const body = readBody(bodyOf(definition.operation) ?? definition.body, request) as JsonObject;
      const ifMatch = matches && definition.route.method === 'PATCH' ? request.header('if-match') : undefined;
      const { tenant } = identityOf(request);
      return as(definition, (read) => this.plans.of(tenant, String(request.params.id), definition, body, read, ifMatch));
    }
  }
  return PlansController;
}

/** `/windlass/v1/plans/vnflcm/v1/...` and `/windlass/v1/plans/vnflcm/v2/...`: the operations of both versions. */
export const planControllers = [
  planControllerOf({
    path: 'vnflcm/v1/vnf_instances',
    bodyOf: () => undefined,
    as: (_definition, work) => work(),
    matches: true,
  }),
  planControllerOf({
    path: 'vnflcm/v2/vnf_instances',
    bodyOf: (operation) => V2_BODIES[operation as LcmOperationTypeV2],
    as: asV2,
    matches: false,
  }),
];
