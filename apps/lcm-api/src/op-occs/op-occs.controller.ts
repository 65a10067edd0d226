import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { RequestError, type SecretPlaces } from '@windlass/foundation';
import type { OpOccRecord } from '@windlass/lifecycle';
import { PgSight } from '@windlass/persistence';
import { APIS, opOccUrl, renderOpOcc, RESOURCES } from '@windlass/sol003';
import type { Response } from 'express';
import { DriverRegistry } from '../drivers/driver-registry.js';
import { jsonBody, listAnswer } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../http/identity.js';
import { PublicUrl } from '../http/public-url.js';
import { withExtensionLinks, type ExtendedOpOcc } from '../sight/extension-links.js';
import { OpOccs } from './op-occs.js';

const PREFIX = APIS.vnflcmV1.uriPrefix;

/** `/vnflcm/v1/vnf_lcm_op_occs` (SOL003 5.4.12 - 5.4.17). */
@Controller('vnflcm/v1/vnf_lcm_op_occs')
export class OpOccsController {
  constructor(
    private readonly opOccs: OpOccs,
    private readonly publicUrl: PublicUrl,
    private readonly sight: PgSight,
    private readonly drivers: DriverRegistry,
  ) {}

  @Get()
  list(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<object[]> {
    const { tenant } = identityOf(request);
    const root = this.#root();
    return listAnswer(request, response, this.publicUrl, RESOURCES.vnfLcmOpOccs, async (after, limit) => {
      const records = await this.opOccs.page(tenant, after, limit);
      const pivots = await this.opOccs.pivots(records);
      return Promise.all(records.map((record) => this.#render(record, root, pivots.get(record.id))));
    });
  }

  @Get(':id')
  async show(@Req() request: IdentifiedRequest): Promise<ExtendedOpOcc> {
    const record = await this.opOccs.find(identityOf(request).tenant, idOf(request));
    const pivot = (await this.opOccs.pivots([record])).get(record.id);
    return { ...(await this.#render(record, this.#root(), pivot)), windlassSteps: await this.sight.count(record.id) };
  }

  @Post(':id/retry')
  @HttpCode(202)
  async retry(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.opOccs.retry(identityOf(request).tenant, idOf(request));
    response.end();
  }

  @Post(':id/rollback')
  @HttpCode(202)
  async rollback(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.opOccs.rollback(identityOf(request).tenant, idOf(request));
    this.#accepted(request, response);
  }

  @Post(':id/fail')
  @HttpCode(200)
  async fail(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const record = await this.opOccs.fail(identityOf(request).tenant, idOf(request));
    response.json(await this.#render(record, this.#root()));
  }

  @Post(':id/cancel')
  @HttpCode(202)
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

  async #render(record: OpOccRecord, root: string, pastPivot?: string): Promise<ExtendedOpOcc> {
    return render(record, root, await this.drivers.secrets.of(record.draft.drivers), pastPivot);
  }

  #accepted(request: IdentifiedRequest, response: Response): void {
    response.set('Location', opOccUrl(this.#root(), idOf(request))).end();
  }

  #root(): string {
    return this.publicUrl.of(PREFIX);
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);

/** An operation occurrence as the API shows it; past its pivot it offers no roll-back. */
function render(record: OpOccRecord, root: string, secrets: SecretPlaces, pastPivot?: string): ExtendedOpOcc {
  const shown = renderOpOcc(
    {
      id: record.id,
      operationState: record.operationState,
      stateEnteredTime: record.stateEnteredTime.toISOString(),
      startTime: record.startTime.toISOString(),
      vnfInstanceId: record.vnfInstanceId,
      operation: record.operation,
      isAutomaticInvocation: record.isAutomaticInvocation,
      operationParams: record.request,
      isCancelPending: record.isCancelPending,
      ...(record.grantId === null ? {} : { grantId: record.grantId }),
      ...(record.cancelMode === null ? {} : { cancelMode: record.cancelMode }),
      ...(record.error === null ? {} : { error: record.error }),
      ...(record.resourceChanges === null ? {} : { resourceChanges: record.resourceChanges }),
      ...(record.draft.changedInfo === undefined ? {} : { changedInfo: record.draft.changedInfo }),
    },
    root,
    { pastPivot },
    secrets,
  );
  const linked = withExtensionLinks(shown, root.slice(0, -PREFIX.length));
  return record.warnings.length === 0 ? linked : { ...linked, warnings: record.warnings };
}
