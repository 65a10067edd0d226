import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { RequestError, isUuid, type JsonObject } from '@windlass/foundation';
import { VimClient, vimNeedsRule, vimNeedsSchema, type VimFinding } from '@windlass/messaging';
import { jsonBody } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { anObject } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

/** Windlass's own: whether a VIM has what a VNF needs (docs/contracts/rest-extensions.md). */
@Controller('windlass/v1')
export class VimChecksController {
  constructor(private readonly vims: VimClient) {}

  @Post('vims/:id/check')
  @HttpCode(200)
  @ApiRoute({
    summary: 'look whether a VIM has what a VNF needs, and change nothing there',
    role: 'operator',
    changesNothing: true,
    body: { schema: vimNeedsSchema as JsonObject },
    answers: { 200: { schema: anObject('findings') } },
    refusals: [429, 503],
  })
  async check(@Req() request: IdentifiedRequest): Promise<{ findings: VimFinding[] }> {
    const id = String(request.params.id);
    if (!isUuid(id))
      throw new RequestError(404, 'vim.unknown', 'there is no VIM of this id: ids are UUIDs, and the list shows them');
    const needs = vimNeedsRule.check(jsonBody(request));
    if (!needs.ok) {
      const detail = needs.wrong.map(({ path, reason }) => `${path} ${reason}`).join('; ');
      throw new RequestError(400, 'request.invalid', detail, { invalidParams: needs.wrong });
    }
    return { findings: await this.vims.check(identityOf(request).tenant, id, needs.value) };
  }
}
