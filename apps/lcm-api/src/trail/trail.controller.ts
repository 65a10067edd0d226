import { isUuid } from '@windlass/foundation';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { PgAuditTrail, type TrailEntry, type TrailFilter } from '@windlass/persistence';
import { MARKER_PARAMETER, PAGE_SIZE } from '@windlass/sol003';
import type { Response } from 'express';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { PublicUrl } from '../links/public-url.js';
import { LcmApiSettings } from '../caller/settings.js';
import { one } from './query.js';
import { anObject, listOf, MARKER, TIME } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

/** The audit trail, for admins, the newest entry first (docs/contracts/rest-extensions.md). */
@Controller('windlass/v1/audit_trail')
export class TrailController {
  constructor(
    private readonly trail: PgAuditTrail,
    private readonly settings: LcmApiSettings,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  @ApiRoute({
    summary: 'the audit trail',
    role: 'admin',
    query: {
      ...MARKER,
      from: { meaning: 'only entries of this time and later', schema: TIME },
      before: { meaning: 'only entries before this time', schema: TIME },
      vnfInstanceId: { meaning: 'only entries about this VNF instance', schema: { type: 'string', format: 'uuid' } },
      operationId: { meaning: 'only entries about this operation occurrence', schema: { type: 'string', format: 'uuid' } },
      actor: { meaning: 'only what this one asked for', schema: { type: 'string' } },
    },
    answers: { 200: { schema: listOf(anObject('id', 'at', 'kind')), headers: ['Link'] } },
  })
  async list(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<TrailEntry[]> {
    const { tenant } = identityOf(request);
    const { query } = request;
    const after = one(query, MARKER_PARAMETER, (text) => (/^\d{1,18}$/.test(text) ? text : undefined), 'the marker of a page');
    // Entries that belong to no project, such as refused clients without a name, are for the operator's project.
    const scope = { tenant, unowned: tenant === this.settings.operatorProject };
    const entries = await this.trail.page(scope, filterOf(query), after, PAGE_SIZE);
    const last = entries.at(-1);
    if (entries.length === PAGE_SIZE && last !== undefined) response.set('Link', this.publicUrl.nextPage(request, last.id));
    return entries;
  }
}

type Query = IdentifiedRequest['query'];

function filterOf(query: Query): TrailFilter {
  const from = one(query, 'from', timeIn, 'a time as RFC 3339 writes it');
  const before = one(query, 'before', timeIn, 'a time as RFC 3339 writes it');
  const vnfInstanceId = one(query, 'vnfInstanceId', idIn, 'the id of a VNF instance');
  const operationId = one(query, 'operationId', idIn, 'the id of an operation occurrence');
  const actor = one(query, 'actor', (text) => text, 'the name of one who asks');
  return {
    ...(from === undefined ? {} : { from }),
    ...(before === undefined ? {} : { before }),
    ...(vnfInstanceId === undefined ? {} : { vnfInstanceId }),
    ...(operationId === undefined ? {} : { operationId }),
    ...(actor === undefined ? {} : { actor }),
  };
}

const idIn = (text: string): string | undefined => (isUuid(text) ? text : undefined);

function timeIn(text: string): Date | undefined {
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? new Date(text) : undefined;
  return time === undefined || Number.isNaN(time.getTime()) ? undefined : time;
}
