import { Controller, Get, Req, Res } from '@nestjs/common';
import { PgObservability } from '@windlass/persistence';
import { MARKER_PARAMETER } from '@windlass/sol003';
import type { Response } from 'express';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { PublicUrl } from '../links/public-url.js';
import { OpOccs } from '../op-occs/op-occs.js';
import { QuotableSecrets } from './quotable-secrets.js';
import { OPERATION, STEP } from './shown-schemas.js';
import { operationNews, type ShownOperation } from '../rendering/live-events.js';
import { failureOf, shownSteps, stepsAfter, type ShownStep } from '../rendering/step-views.js';
import { listOf, MARKER } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

/** Says that an operation had steps, and when they were removed. */
export const PURGED_HEADER = 'Windlass-Journal-Purged';

/** Windlass's own view of an operation and its steps; SOL003 has none (docs/contracts/rest-extensions.md). */
@Controller('windlass/v1/operations')
export class StepsController {
  constructor(
    private readonly opOccs: OpOccs,
    private readonly observability: PgObservability,
    private readonly secrets: QuotableSecrets,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** What the occurrence of SOL003 has no place for: warnings, and how many steps stand where. */
  @Get(':id')
  @ApiRoute({
    summary: 'an operation with its warnings and the counts of its steps',
    role: 'reader',
    answers: { 200: { schema: OPERATION } },
  })
  async operation(@Req() request: IdentifiedRequest): Promise<ShownOperation> {
    const opOcc = await this.opOccs.find(identityOf(request).tenant, String(request.params.id));
    const steps = await this.observability.count(opOcc.id);
    if (opOcc.error === null) return operationNews(opOcc, steps, []).data;
    const secrets = await this.secrets.in(opOcc);
    const failure =
      opOcc.operationState === 'FAILED_TEMP'
        ? failureOf((await shownSteps(this.observability, opOcc.id, secrets)).steps)
        : undefined;
    return operationNews(opOcc, steps, secrets, failure).data;
  }

  @Get(':id/steps')
  @ApiRoute({
    summary: 'the steps of an operation',
    role: 'reader',
    query: MARKER,
    answers: {
      200: { schema: listOf(STEP), headers: ['Link', 'Windlass-Journal-Purged'] },
    },
  })
  async steps(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<ShownStep[]> {
    const opOcc = await this.opOccs.find(identityOf(request).tenant, String(request.params.id));
    const { steps, purgedAt } = await shownSteps(this.observability, opOcc.id, await this.secrets.in(opOcc));
    const marker = request.query[MARKER_PARAMETER];
    const { page, next } = stepsAfter(steps, typeof marker === 'string' ? marker : undefined);
    if (next !== undefined) response.set('Link', this.publicUrl.nextPage(request, next));
    if (purgedAt !== null) response.set(PURGED_HEADER, purgedAt.toISOString());
    return page;
  }
}
