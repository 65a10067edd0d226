import { Controller, Get, HttpCode, Inject, Post, Req, Res, type Type } from '@nestjs/common';
import { APIS, CancelModeBody, RESOURCES, type ApiVersion, type ResourceTable, type VnfLcmOpOcc } from '@windlass/sol003';
import type { ListedOpOcc, OpOccRecord } from '@windlass/lifecycle';
import type { Response } from 'express';
import { answerList, jsonBody } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { PublicUrl } from '../links/public-url.js';
import { readBody } from '../http/read-body.js';
import { Rendering } from '../rendering/rendering.js';
import { ApiRoute, type Answer, type RequestBody } from '../routes/route.js';
import { RenderingV2 } from '../v2/rendering-v2.js';
import { OpOccs } from './op-occs.js';
import { refuseBody, retryParamsOf } from './retry-request.js';

/** How a version shows an occurrence. */
interface OpOccRendering {
  opOcc(record: OpOccRecord, pastPivot: string | undefined): Promise<VnfLcmOpOcc>;
  listedOpOcc(listed: ListedOpOcc, pastPivot: string | undefined): VnfLcmOpOcc;
  opOccUrl(id: string): string;
  /** The `Link` header of one occurrence, where the version has it. */
  extensionLinks?(id: string): string;
}

/** What the routes of one version are told by. */
interface OpOccRoutes {
  version: ApiVersion;
  rendering: Type<OpOccRendering>;
  resource: ResourceTable;
  one: Answer;
  all: Answer;
  /** Whether one that is read has links to its steps, and a roll-back and a cancel the `Location` of theirs. */
  hasHeaders: boolean;
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);

/** The body of a task to which the standard gives none, whatever content type a client names. */
const bodyOf = (request: IdentifiedRequest): unknown => {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  return request.body === undefined && length === '0' && encoding === undefined ? {} : jsonBody(request);
};

/** Nothing may stand in it, and what does is refused. */
const NO_BODY: RequestBody = { schema: { type: 'object', maxProperties: 0 }, optional: true };

/** The standard's retry has none. */
const RETRY_BODY: RequestBody = {
  schema: { type: 'object', properties: { additionalParams: { type: 'object' } }, additionalProperties: false },
  optional: true,
};

/** The operation occurrences in one version of the API, as they are read (SOL003 5.4.12 - 5.4.13). */
function readOpOccsController(routes: OpOccRoutes): Type<object> {
  const { version, rendering: renderedBy, resource, one, all, hasHeaders } = routes;

  @Controller(`${version.uriPrefix}/vnf_lcm_op_occs`)
  class ReadOpOccsController {
    constructor(
      private readonly opOccs: OpOccs,
      @Inject(renderedBy) private readonly rendering: OpOccRendering,
      private readonly publicUrl: PublicUrl,
    ) {}

    @Get()
    @ApiRoute({
      summary: 'operation occurrences',
      role: 'reader',
      query: resource,
      answers: { 200: { ...all, headers: ['Link'] } },
    })
    list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
      const { tenant } = identityOf(request);
      return answerList(request, response, this.publicUrl, resource, async (after, limit, { filter, whole }) => {
        const page = { tenant, after, limit, filter };
        if (!whole) {
          const listed = await this.opOccs.listed(page);
          const pivots = await this.opOccs.pivots(listed);
          return listed.map((each) => this.rendering.listedOpOcc(each, pivots.get(each.id)));
        }
        const records = await this.opOccs.page(page);
        const pivots = await this.opOccs.pivots(records);
        return Promise.all(records.map((record) => this.rendering.opOcc(record, pivots.get(record.id))));
      });
    }

    @Get(':id')
    @ApiRoute({
      summary: 'one operation occurrence',
      role: 'reader',
      answers: { 200: { ...one, ...(hasHeaders ? { headers: ['Link'] } : {}) } },
    })
    async show(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<VnfLcmOpOcc> {
      const record = await this.opOccs.find(identityOf(request).tenant, idOf(request));
      const links = this.rendering.extensionLinks?.(record.id);
      if (links !== undefined) response.set('Link', links);
      return this.rendering.opOcc(record, (await this.opOccs.pivots([record])).get(record.id));
    }
  }

  return ReadOpOccsController;
}

/** What can be done with them (SOL003 5.4.14 - 5.4.17). */
function opOccTasksController({ version, rendering: renderedBy, one, hasHeaders }: OpOccRoutes): Type<object> {
  const accepted: Answer = hasHeaders ? { headers: ['Location'] } : {};

  @Controller(`${version.uriPrefix}/vnf_lcm_op_occs`)
  class OpOccTasksController {
    constructor(
      private readonly opOccs: OpOccs,
      @Inject(renderedBy) private readonly rendering: OpOccRendering,
    ) {}

    @Post(':id/retry')
    @HttpCode(202)
    @ApiRoute({ summary: 'retry an operation', role: 'operator', body: RETRY_BODY, answers: { 202: {} }, refusals: [409] })
    async retry(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
      const { tenant } = identityOf(request);
      await this.opOccs.retry(tenant, idOf(request), () => retryParamsOf(bodyOf(request)));
      response.end();
    }

    @Post(':id/rollback')
    @HttpCode(202)
    @ApiRoute({ summary: 'roll an operation back', role: 'operator', body: NO_BODY, answers: { 202: accepted }, refusals: [409] })
    async rollback(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
      const { tenant } = identityOf(request);
      await this.opOccs.rollback(tenant, idOf(request), () => refuseBody('rollback', bodyOf(request)));
      this.accepted(request, response);
    }

    @Post(':id/fail')
    @HttpCode(200)
    @ApiRoute({ summary: 'mark an operation as failed', role: 'operator', body: NO_BODY, answers: { 200: one }, refusals: [409] })
    async fail(@Req() request: IdentifiedRequest): Promise<VnfLcmOpOcc> {
      const { tenant } = identityOf(request);
      const failed = await this.opOccs.fail(tenant, idOf(request), () => refuseBody('fail', bodyOf(request)));
      return this.rendering.opOcc(failed, undefined);
    }

    /** The reference system's v2 has none; the standard has. */
    @Post(':id/cancel')
    @HttpCode(202)
    @ApiRoute({
      summary: 'cancel an operation',
      role: 'operator',
      body: { of: CancelModeBody },
      answers: { 202: accepted },
      refusals: [409],
    })
    async cancel(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
      const { cancelMode } = readBody(CancelModeBody, request);
      await this.opOccs.cancel(identityOf(request).tenant, idOf(request), cancelMode);
      this.accepted(request, response);
    }

    private accepted(request: IdentifiedRequest, response: Response): void {
      if (hasHeaders) response.set('Location', this.rendering.opOccUrl(idOf(request)));
      response.end();
    }
  }

  return OpOccTasksController;
}

const opOccControllers = (routes: OpOccRoutes): Type<object>[] => [readOpOccsController(routes), opOccTasksController(routes)];

/** Of v1 (2.6.1). */
export const opOccControllersV1 = opOccControllers({
  version: APIS.vnflcmV1,
  rendering: Rendering,
  resource: RESOURCES.vnfLcmOpOccs,
  one: { type: 'VnfLcmOpOcc' },
  all: { type: 'VnfLcmOpOccs' },
  hasHeaders: true,
});

/** Of v2 (3.3.1): the same occurrences. */
export const opOccControllersV2 = opOccControllers({
  version: APIS.vnflcmV2,
  rendering: RenderingV2,
  resource: RESOURCES.vnfLcmOpOccsV2,
  one: { schema: { type: 'object' } },
  all: { schema: { type: 'array', items: { type: 'object' } } },
  hasHeaders: false,
});
