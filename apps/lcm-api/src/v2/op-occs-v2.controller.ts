import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { CancelModeBody, RESOURCES, validateBody, type VnfLcmOpOcc } from '@windlass/sol003';
import type { Response } from 'express';
import { jsonBody, answerList } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../http/identity.js';
import { PublicUrl } from '../http/public-url.js';
import { OpOccs } from '../op-occs/op-occs.js';
import { ApiRoute } from '../routes/route.js';
import { RenderingV2 } from './rendering-v2.js';

/** `/vnflcm/v2/vnf_lcm_op_occs` (SOL003 3.3.1, 5.4.12 - 5.4.17): the same occurrences as v1's. */
@Controller('vnflcm/v2/vnf_lcm_op_occs')
export class OpOccsV2Controller {
  constructor(
    private readonly opOccs: OpOccs,
    private readonly rendering: RenderingV2,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  @ApiRoute({
    summary: 'operation occurrences',
    role: 'reader',
    query: RESOURCES.vnfLcmOpOccsV2,
    answers: { 200: { schema: { type: 'array', items: { type: 'object' } }, headers: ['Link'] } },
  })
  list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    return answerList(request, response, this.publicUrl, RESOURCES.vnfLcmOpOccsV2, async (after, limit, wanted) => {
      const records = await this.opOccs.page({ tenant, after, limit, ...wanted });
      const pivots = await this.opOccs.pivots(records);
      return Promise.all(records.map((record) => this.rendering.opOcc(record, pivots.get(record.id))));
    });
  }

  @Get(':id')
  @ApiRoute({ summary: 'one operation occurrence', role: 'reader', answers: { 200: { schema: { type: 'object' } } } })
  async show(@Req() request: IdentifiedRequest): Promise<VnfLcmOpOcc> {
    const record = await this.opOccs.find(identityOf(request).tenant, idOf(request));
    return this.rendering.opOcc(record, (await this.opOccs.pivots([record])).get(record.id));
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
  @ApiRoute({ summary: 'roll an operation back', role: 'operator', answers: { 202: {} }, refusals: [409] })
  async rollback(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.opOccs.rollback(identityOf(request).tenant, idOf(request));
    response.end();
  }

  @Post(':id/fail')
  @HttpCode(200)
  @ApiRoute({
    summary: 'mark an operation as failed',
    role: 'operator',
    answers: { 200: { schema: { type: 'object' } } },
    refusals: [409],
  })
  async fail(@Req() request: IdentifiedRequest): Promise<VnfLcmOpOcc> {
    return this.rendering.opOcc(await this.opOccs.fail(identityOf(request).tenant, idOf(request)), undefined);
  }

  /** The reference system's v2 has none; the standard has. */
  @Post(':id/cancel')
  @HttpCode(202)
  @ApiRoute({
    summary: 'cancel an operation',
    role: 'operator',
    body: { of: CancelModeBody },
    answers: { 202: {} },
    refusals: [409],
  })
  async cancel(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { cancelMode } = validateBody(CancelModeBody, jsonBody(request));
    await this.opOccs.cancel(identityOf(request).tenant, idOf(request), cancelMode);
    response.end();
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);
