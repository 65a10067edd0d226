import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { isJsonObject, RequestError, type JsonObject } from '@windlass/foundation';
import type { Response } from 'express';
import { jsonBody } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { Rendering } from '../rendering/rendering.js';
import { Audits } from './audits.js';
import { AUDIT, CLEAN_UP, shownAudit, shownCleanUp, type ShownAudit, type ShownCleanUp } from './shown-audits.js';
import { listOf } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

/** Windlass's own resources for what lies in VIMs; SOL003 has none. For administrators of the project. */
@Controller('windlass/v1')
export class AuditsController {
  constructor(
    private readonly audits: Audits,
    private readonly rendering: Rendering,
  ) {}

  @Post('audits')
  @HttpCode(202)
  @ApiRoute({
    summary: 'begin an audit of the project: what is in its VIMs that should not be, and the other way round',
    role: 'admin',
    body: { schema: { type: 'object', properties: { fix: { type: 'boolean' } } }, optional: true },
    answers: { 202: { headers: ['Location'] } },
    refusals: [409],
  })
  async begin(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    const id = await this.audits.begin(tenant, fixIn(jsonBody(request)));
    response.set('Location', this.rendering.auditUrl(id)).end();
  }

  @Get('audits/:id')
  @ApiRoute({ summary: 'one audit', role: 'admin', answers: { 200: { schema: AUDIT } } })
  async show(@Req() request: IdentifiedRequest): Promise<ShownAudit> {
    return shownAudit(await this.audits.find(identityOf(request).tenant, idOf(request), 'AUDIT'));
  }

  @Get('clean_ups')
  @ApiRoute({ summary: 'clean-ups', role: 'admin', answers: { 200: { schema: listOf(CLEAN_UP) } } })
  async cleanUps(@Req() request: IdentifiedRequest): Promise<ShownCleanUp[]> {
    return (await this.audits.cleanUps(identityOf(request).tenant)).map(shownCleanUp);
  }

  @Get('clean_ups/:id')
  @ApiRoute({ summary: 'one clean-up', role: 'admin', answers: { 200: { schema: CLEAN_UP } } })
  async cleanUp(@Req() request: IdentifiedRequest): Promise<ShownCleanUp> {
    return shownCleanUp(await this.audits.find(identityOf(request).tenant, idOf(request), 'CLEAN_UP'));
  }

  @Post('clean_ups/:id/give_up')
  @HttpCode(200)
  @ApiRoute({
    summary: "end a clean-up that can't be done: what it was to remove stays, and keeps nothing from being changed any more",
    role: 'admin',
    answers: { 200: { schema: CLEAN_UP } },
    refusals: [409],
  })
  async giveUp(@Req() request: IdentifiedRequest): Promise<ShownCleanUp> {
    return shownCleanUp(await this.audits.giveUp(identityOf(request).tenant, idOf(request)));
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);

function fixIn(body: unknown): boolean {
  const { fix = false }: JsonObject = isJsonObject(body) ? body : {};
  if (typeof fix === 'boolean') return fix;
  throw new RequestError(400, 'request.invalid', '/fix: expected true or false', {
    invalidParams: [{ path: '/fix', reason: 'expected true or false' }],
  });
}
