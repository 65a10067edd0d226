import { Controller, Get, Req } from '@nestjs/common';
import { PgRestoration, type RestoredAudit } from '@windlass/persistence';
import { operatorOf, type IdentifiedRequest } from '../caller/identity.js';
import { anObject } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';
import { LcmApiSettings } from '../caller/settings.js';

/** Windlass's own: whether the record was brought back from a backup, and what its work waits for. For admins of the operator's project. */
@Controller('windlass/v1')
export class RestorationController {
  constructor(
    private readonly restoration: PgRestoration,
    private readonly lcm: LcmApiSettings,
  ) {}

  @Get('restoration')
  @ApiRoute({
    summary: 'whether the record was brought back from a backup, and which audits its work waits for',
    role: 'admin',
    answers: { 200: { schema: anObject('incarnation', 'waits', 'audits', 'unknownSteps') } },
  })
  async show(@Req() request: IdentifiedRequest): Promise<object> {
    operatorOf(request, this.lcm.operatorProject, 'the restoration is');
    const current = await this.restoration.current();
    if (current === undefined) return { incarnation: 0, waits: false, audits: [], unknownSteps: 0 };
    const { number: incarnation, beganAt, ...rest } = current;
    const audits = (await this.restoration.audits(incarnation)).map(shown);
    return { incarnation, restoredAt: beganAt, waits: rest.releasedAt === null, ...rest, audits };
  }
}

/** The audit of a project: its own page has all that was found. */
const shown = ({ operationId, tenant, state, report }: RestoredAudit) => ({
  id: operationId,
  project: tenant,
  state,
  vims: report?.vims ?? [],
});
