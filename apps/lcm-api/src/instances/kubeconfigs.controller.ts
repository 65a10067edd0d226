import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { RequestError, type JsonObject } from '@windlass/foundation';
import { VimClient } from '@windlass/messaging';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { VnfInstances } from './vnf-instances.js';
import { anObject } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';
import { RequestTrail } from '../trail/request-trail.js';
import { kubeconfigOf } from './kubeconfig.js';

/** Windlass's own: the way into a cluster that a VNF instance has deployed (docs/contracts/rest-extensions.md). */
@Controller('windlass/v1/vnf_instances')
export class KubeconfigsController {
  constructor(
    private readonly instances: VnfInstances,
    private readonly vims: VimClient,
    private readonly trail: RequestTrail,
  ) {}

  /** A POST, because the audit trail records who took it. The registry, which alone opens credentials, writes that record first. */
  @Post(':id/kubeconfig')
  @HttpCode(200)
  @ApiRoute({
    summary: 'the kubeconfig of the cluster that a VNF instance has deployed, with its credentials',
    role: 'operator',
    answers: { 200: { schema: anObject('apiVersion', 'kind', 'clusters', 'users', 'contexts', 'current-context') } },
    refusals: [409],
  })
  async take(@Req() request: IdentifiedRequest): Promise<JsonObject> {
    const { tenant } = identityOf(request);
    const { id, instantiationState } = await this.instances.find(tenant, String(request.params.id));
    if (instantiationState !== 'INSTANTIATED')
      throw new RequestError(
        409,
        'vnf-instance.wrong-state',
        `VNF instance ${id} is ${instantiationState}, so it has no cluster: instantiate it first`,
      );
    return kubeconfigOf(await this.trail.noteElsewhere((asked) => this.vims.clusterAccess(tenant, id, asked)));
  }
}
