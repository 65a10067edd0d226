import { Controller, Get, Req } from '@nestjs/common';
import type { JsonObject } from '@windlass/foundation';
import { VimClient, type ClusterNodesReply } from '@windlass/messaging';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { VnfInstances } from './vnf-instances.js';
import { listOf, TIME, whole } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

const TEXT: JsonObject = { type: 'string' };
const TEXT_OR_NULL: JsonObject = { type: ['string', 'null'] };
const TIME_OR_NULL: JsonObject = { type: ['string', 'null'], format: 'date-time' };

const NODE: JsonObject = whole({
  name: TEXT,
  role: { type: 'string', enum: ['master', 'worker'] },
  ready: { type: 'string', enum: ['True', 'False', 'Unknown'] },
  reason: TEXT_OR_NULL,
  since: TEXT_OR_NULL,
  schedulable: { type: 'boolean' },
  version: TEXT,
  runtime: TEXT,
  os: TEXT,
  addresses: listOf(TEXT),
});

const CLUSTER: JsonObject = whole({
  vim: whole({ id: TEXT, name: TEXT, url: TEXT }),
  askedAt: TIME,
  unanswered: TEXT_OR_NULL,
  seenAt: TIME_OR_NULL,
  version: TEXT_OR_NULL,
  addressHolder: TEXT_OR_NULL,
  nodes: listOf(NODE),
  hasMore: { type: 'boolean' },
});

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
    answers: { 200: { schema: CLUSTER } },
    refusals: [429, 503],
  })
  async show(@Req() request: IdentifiedRequest): Promise<ClusterNodesReply> {
    const { tenant } = identityOf(request);
    const { id } = await this.instances.find(tenant, String(request.params.id));
    return this.vims.clusterNodes({ tenant, vnfInstanceId: id });
  }
}
