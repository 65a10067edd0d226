import { Controller, Get, Req } from '@nestjs/common';
import { ChainCheck, parseHead, type CheckedPage } from '@windlass/persistence';
import { operatorOf, type IdentifiedRequest } from '../caller/identity.js';
import { LcmApiSettings } from '../caller/settings.js';
import { one } from './query.js';
import { anObject } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

/** Whether the audit trail is as it was written: for the operator's admins, since the chain goes through all projects (docs/contracts/rest-extensions.md). */
@Controller('windlass/v1/audit_trail')
export class TrailCheckController {
  constructor(
    private readonly check: ChainCheck,
    private readonly settings: LcmApiSettings,
  ) {}

  @Get('head')
  @ApiRoute({
    summary: 'the last link of the chain of the audit trail',
    role: 'admin',
    answers: { 200: { schema: anObject('head') } },
  })
  async head(@Req() request: IdentifiedRequest): Promise<{ head: string | null }> {
    this.#forOperators(request);
    return { head: await this.check.head() };
  }

  @Get('check')
  @ApiRoute({
    summary: 'compare a part of the audit trail with its chain',
    role: 'admin',
    query: {
      after: { meaning: 'links up to this one were checked', schema: { type: 'string', pattern: '^[0-9]{1,15}$' } },
      head: { meaning: 'a link that must be there as it was', schema: { type: 'string' } },
    },
    answers: { 200: { schema: anObject('links', 'entries', 'findings', 'next') } },
  })
  page(@Req() request: IdentifiedRequest): Promise<CheckedPage> {
    this.#forOperators(request);
    const { query } = request;
    const after = one(query, 'after', (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined), 'the number of a link');
    const head = one(query, 'head', parseHead, 'a head as "audit-trail head" prints it: <number>:<64 hexadecimal digits>');
    return this.check.page({ after: after ?? 0, ...(head === undefined ? {} : { head }) });
  }

  #forOperators(request: IdentifiedRequest): void {
    operatorOf(request, this.settings.operatorProject, 'the check of the audit trail is');
  }
}
