import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { CERTIFICATES_MEMBER, CERTIFICATES_TASKS, modifyCertificates } from '@windlass/lifecycle';
import type { Response } from 'express';
import { jsonBody } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { Rendering } from '../rendering/rendering.js';
import { ApiRoute } from '../routes/route.js';
import { taskIn, taskSchema } from './cluster-task.js';
import { VnfInstances } from './vnf-instances.js';

/** Windlass's own: the certificates of a cluster that a VNF instance has deployed (docs/contracts/rest-extensions.md). */
@Controller('windlass/v1/vnf_instances')
export class CertificatesController {
  constructor(
    private readonly instances: VnfInstances,
    private readonly rendering: Rendering,
  ) {}

  @Post(':id/certificates')
  @HttpCode(202)
  @ApiRoute({
    summary: 'look at the certificates of the cluster that a VNF instance has deployed, or renew them',
    role: 'operator',
    body: { schema: taskSchema(CERTIFICATES_TASKS) },
    answers: { 202: { headers: ['Location'] } },
    refusals: [409],
  })
  async ask(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    const body = { [CERTIFICATES_MEMBER]: taskIn(jsonBody(request), CERTIFICATES_TASKS) };
    const opOccId = await this.instances.operate(tenant, String(request.params.id), modifyCertificates, body);
    response.set('Location', this.rendering.opOccUrl(opOccId)).end();
  }
}
