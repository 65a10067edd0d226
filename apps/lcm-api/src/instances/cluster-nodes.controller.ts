import { Controller, Get, Req } from '@nestjs/common';
import { clusterNodesContract, VimClient, type ClusterNodesReply } from '@windlass/messaging';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { VnfInstances } from './vnf-instances.js';
import { answerOf } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

/** Windlass's own: what the cluster that a VNF instance has deployed says of itself (docs/contracts/rest-extensions.md). */
@Controller('windlass/v1/vnf_instances')
export class ClusterNodesController {
  constructor(
    private readonly instances: VnfInstances,
    private readonly vims: VimClient,
  ) {}

  @Get(':id/cluster')
  @ApiRoute({
    summary: 'the nodes of the cluster that a VNF instance has deployed, as the cluster says',
    role: 'reader',
    answers: { 200: { schema: answerOf(clusterNodesContract.reply.schema) } },
    refusals: [429, 503],
  })
  async show(@Req() request: IdentifiedRequest): Promise<ClusterNodesReply> {
    const { tenant } = identityOf(request);
    const { id } = await this.instances.find(tenant, String(request.params.id));
    return this.vims.clusterNodes({ tenant, vnfInstanceId: id });
  }
}
