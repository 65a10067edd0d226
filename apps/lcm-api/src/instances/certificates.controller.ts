import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { isJsonObject, RequestError } from '@windlass/foundation';
import { CERTIFICATES_MEMBER, CERTIFICATES_TASKS, modifyCertificates, type CertificatesTask } from '@windlass/lifecycle';
import type { Response } from 'express';
import { jsonBody } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../http/identity.js';
import { Rendering } from '../rendering/rendering.js';
import { ApiRoute } from '../routes/route.js';
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
    body: {
      schema: {
        type: 'object',
        additionalProperties: false,
        required: ['task'],
        properties: { task: { enum: [...CERTIFICATES_TASKS] } },
      },
    },
    answers: { 202: { headers: ['Location'] } },
    refusals: [409],
  })
  async ask(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    const body = { [CERTIFICATES_MEMBER]: taskIn(jsonBody(request)) };
    const opOccId = await this.instances.operate(tenant, String(request.params.id), modifyCertificates, body);
    response.set('Location', this.rendering.opOccUrl(opOccId)).end();
  }
}

/** @throws RequestError 400 with the path of what is wrong */
function taskIn(body: unknown): CertificatesTask {
  const given = isJsonObject(body) ? body : {};
  const other = Object.keys(given).find((member) => member !== 'task');
  if (other !== undefined) throw invalid(`/${other}`, 'is a member that is not taken: task was expected');
  const task = CERTIFICATES_TASKS.find((each) => each === given.task);
  if (task === undefined) throw invalid('/task', `has to be one of ${CERTIFICATES_TASKS.join(', ')}`);
  return task;
}

const invalid = (path: string, reason: string): RequestError =>
  new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
