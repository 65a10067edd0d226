import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { RequestError } from '@windlass/foundation';
import { CancelModeBody, RESOURCES, type VnfLcmOpOcc } from '@windlass/sol003';
import type { Response } from 'express';
import { jsonBody, answerList } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../http/identity.js';
import { PublicUrl } from '../http/public-url.js';
import { Rendering } from '../rendering/rendering.js';
import { OpOccs } from './op-occs.js';
import { ApiRoute } from '../routes/route.js';

/** `/vnflcm/v1/vnf_lcm_op_occs` (SOL003 5.4.12 - 5.4.17). */
@Controller('vnflcm/v1/vnf_lcm_op_occs')
export class OpOccsController {
  constructor(
    private readonly opOccs: OpOccs,
    private readonly rendering: Rendering,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  @ApiRoute({
    summary: 'operation occurrences',
    role: 'reader',
    query: RESOURCES.vnfLcmOpOccs,
    answers: { 200: { type: 'VnfLcmOpOccs', headers: ['Link'] } },
  })
  list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    return answerList(request, response, this.publicUrl, RESOURCES.vnfLcmOpOccs, async (after, limit, wanted) => {
      const records = await this.opOccs.page({ tenant, after, limit, ...wanted });
      const pivots = await this.opOccs.pivots(records);
      return Promise.all(records.map((record) => this.rendering.opOcc(record, pivots.get(record.id))));
    });
  }

  @Get(':id')
  @ApiRoute({ summary: 'one operation occurrence', role: 'reader', answers: { 200: { type: 'VnfLcmOpOcc', headers: ['Link'] } } })
  async show(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<VnfLcmOpOcc> {
    const record = await this.opOccs.find(identityOf(request).tenant, idOf(request));
    const pivot = (await this.opOccs.pivots([record])).get(record.id);
    response.set('Link', this.rendering.extensionLinks(record.id));
    return this.rendering.opOcc(record, pivot);
  }

  @Post(':id/retry')
  @HttpCode(202)
  @ApiRoute({ summary: 'retry an operation', role: 'operator', answers: { 202: {} }, refusals: [409] })
  async retry(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.opOccs.retry(identityOf(request).tenant, idOf(request));
    response.end();
  }

  @Post(':id/rollback')
  @HttpCode(202)
  @ApiRoute({ summary: 'roll an operation back', role: 'operator', answers: { 202: { headers: ['Location'] } }, refusals: [409] })
  async rollback(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.opOccs.rollback(identityOf(request).tenant, idOf(request));
    this.#accepted(request, response);
  }

  @Post(':id/fail')
  @HttpCode(200)
  @ApiRoute({
    summary: 'mark an operation as failed',
    role: 'operator',
    answers: { 200: { type: 'VnfLcmOpOcc' } },
    refusals: [409],
  })
  async fail(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const record = await this.opOccs.fail(identityOf(request).tenant, idOf(request));
    response.json(await this.rendering.opOcc(record, undefined));
  }

  @Post(':id/cancel')
  @HttpCode(202)
  @ApiRoute({
    summary: 'cancel an operation',
    role: 'operator',
    body: { of: CancelModeBody },
    answers: { 202: { headers: ['Location'] } },
    refusals: [409],
  })
  async cancel(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { cancelMode } = jsonBody(request) as { cancelMode?: unknown };
    if (cancelMode !== 'GRACEFUL' && cancelMode !== 'FORCEFUL') {
      const reason = 'expected GRACEFUL or FORCEFUL';
      throw new RequestError(400, 'request.invalid', `/cancelMode: ${reason}`, {
        invalidParams: [{ path: '/cancelMode', reason }],
      });
    }
    await this.opOccs.cancel(identityOf(request).tenant, idOf(request), cancelMode);
    this.#accepted(request, response);
  }

  #accepted(request: IdentifiedRequest, response: Response): void {
    response.set('Location', this.rendering.opOccUrl(idOf(request))).end();
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);
