import { Controller, Delete, Get, HttpCode, Patch, Post, Req, Res } from '@nestjs/common';
import { RequestError, type JsonObject } from '@windlass/foundation';
import { OperationTable, type OperationDefinition } from '@windlass/lifecycle';
import {
  ChangeCurrentVnfPkgRequestBody,
  CreateVnfRequestV2Body,
  RESOURCES,
  V2_BODIES,
  type LcmOperationTypeV2,
  type VnfInstanceV2,
} from '@windlass/sol003';
import type { Response } from 'express';
import { answerList, sendJson } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { PublicUrl } from '../links/public-url.js';
import { readBody } from '../http/read-body.js';
import { InstanceAnswers } from '../instances/instance-answers.js';
import { VnfInstances } from '../instances/vnf-instances.js';
import { ApiOperationRoutes, ApiRoute } from '../routes/route.js';
import { noResource } from '../routes/routes.js';
import { asV2 } from './read-v2.js';
import { RenderingV2 } from './rendering-v2.js';

/** `/vnflcm/v2/vnf_instances` (SOL003 3.3.1, 5.4.2 - 5.4.11a): the same instances and operations as v1's. */
@Controller('vnflcm/v2/vnf_instances')
export class VnfInstancesV2Controller {
  constructor(
    private readonly instances: VnfInstances,
    private readonly answers: InstanceAnswers,
    private readonly rendering: RenderingV2,
    private readonly publicUrl: PublicUrl,
    private readonly operations: OperationTable,
  ) {}

  @Post()
  @ApiRoute({
    summary: 'create a VNF instance',
    role: 'operator',
    body: { of: CreateVnfRequestV2Body },
    answers: { 201: { schema: { type: 'object' }, headers: ['Location'] } },
    refusals: [409, 422],
  })
  async create(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<VnfInstanceV2> {
    const body = readBody(CreateVnfRequestV2Body, request);
    const record = await this.instances.create(identityOf(request).tenant, body).catch(asUnprocessable);
    response.set('Location', this.rendering.vnfInstanceUrl(record.id));
    return this.rendering.vnfInstance(record);
  }

  @Get()
  @ApiRoute({
    summary: 'VNF instances',
    role: 'reader',
    query: RESOURCES.vnfInstancesV2,
    answers: { 200: { schema: { type: 'array', items: { type: 'object' } }, headers: ['Link'] } },
  })
  list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    return answerList(request, response, this.publicUrl, RESOURCES.vnfInstancesV2, async (after, limit, { filter, whole }) => {
      const page = { tenant, after, limit, filter };
      if (!whole) return (await this.instances.listed(page)).map((listed) => this.rendering.listedInstance(listed));
      return Promise.all((await this.instances.page(page)).map((record) => this.rendering.vnfInstance(record)));
    });
  }

  @Get(':id')
  @ApiRoute({ summary: 'one VNF instance', role: 'reader', answers: { 200: { schema: { type: 'object' } } } })
  async show(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    const { text } = await this.answers.of(tenant, idOf(request), 'v2', (record) => this.rendering.vnfInstance(record));
    sendJson(response, text);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiRoute({ summary: 'delete a VNF instance', role: 'operator', answers: { 204: {} }, refusals: [409] })
  async delete(@Req() request: IdentifiedRequest): Promise<void> {
    await this.instances.delete(identityOf(request).tenant, idOf(request));
  }

  /** 404 is the standard's answer where a VNF does not support the task (SOL003 3.3.1, 5.4.11a.3.1). */
  @Post(':id/change_vnfpkg')
  @ApiRoute({
    summary: 'change the current VNF package: always refused, it comes with upgrades',
    role: 'operator',
    body: { of: ChangeCurrentVnfPkgRequestBody },
    answers: { 202: { headers: ['Location'] } },
  })
  async changePackage(@Req() request: IdentifiedRequest): Promise<never> {
    const { id } = await this.instances.find(identityOf(request).tenant, idOf(request));
    throw new RequestError(
      404,
      'vnf-instance.no-such-task',
      `VNF instance ${id} can't change its package: this release has no upgrades. Terminate it and instantiate one of the other package`,
    );
  }

  /** INSTANTIATE, SCALE and all others that have a task resource. */
  @Post(':id/:task')
  @HttpCode(202)
  @ApiOperationRoutes({ method: 'POST', bodyOf: (operation) => V2_BODIES[operation as LcmOperationTypeV2] })
  async operate(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.#operate(request, response, this.operations.at('POST', String(request.params.task)));
  }

  @Patch(':id')
  @HttpCode(202)
  @ApiOperationRoutes({ method: 'PATCH', bodyOf: (operation) => V2_BODIES[operation as LcmOperationTypeV2] })
  async modify(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.#operate(request, response, this.operations.at('PATCH'));
  }

  async #operate(request: IdentifiedRequest, response: Response, definition: OperationDefinition | undefined): Promise<void> {
    if (definition === undefined) throw noResource(request.path);
    const { operation } = definition;
    const body = readBody(V2_BODIES[operation] ?? definition.body, request) as JsonObject;
    const { tenant } = identityOf(request);
    const opOccId = await asV2(definition, (read) => this.instances.operate(tenant, idOf(request), definition, body, read));
    response.set('Location', this.rendering.opOccUrl(opOccId)).end();
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);

/** What v1 tells apart is one thing in v2 (SOL003 3.3.1, 5.4.2.3.1): the VNFD named is none that an instance can be made of. */
function asUnprocessable(error: unknown): never {
  if (error instanceof RequestError && ['vnfd.unknown', 'vnf-package.disabled'].includes(error.code))
    throw new RequestError(422, error.code, error.message, { cause: error });
  throw error;
}
