import { Controller, Delete, Get, HttpCode, Patch, Post, Req, Res } from '@nestjs/common';
import type { JsonObject } from '@windlass/foundation';
import { OperationTable, type OperationDefinition } from '@windlass/lifecycle';
import { CreateVnfRequestBody, RESOURCES, type VnfInstance } from '@windlass/sol003';
import type { Response } from 'express';
import { answerList, sendJson } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { PublicUrl } from '../links/public-url.js';
import { readBody } from '../http/read-body.js';
import { noResource } from '../routes/routes.js';
import { Rendering } from '../rendering/rendering.js';
import { noTask } from './check-request.js';
import { InstanceAnswers } from './instance-answers.js';
import { VnfInstances } from './vnf-instances.js';
import { ApiOperationRoutes, ApiRoute } from '../routes/route.js';

/** `/vnflcm/v1/vnf_instances` (SOL003 5.4.2 - 5.4.4, 5.4.8). */
@Controller('vnflcm/v1/vnf_instances')
export class VnfInstancesController {
  constructor(
    private readonly instances: VnfInstances,
    private readonly answers: InstanceAnswers,
    private readonly rendering: Rendering,
    private readonly publicUrl: PublicUrl,
    private readonly operations: OperationTable,
  ) {}

  @Post()
  @ApiRoute({
    summary: 'create a VNF instance',
    role: 'operator',
    body: { of: CreateVnfRequestBody },
    answers: { 201: { type: 'VnfInstance', headers: ['Location'] } },
    refusals: [409, 422],
  })
  async create(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<VnfInstance> {
    const record = await this.instances.create(identityOf(request).tenant, readBody(CreateVnfRequestBody, request));
    response.set('Location', this.rendering.vnfInstanceUrl(record.id));
    return this.rendering.vnfInstance(record);
  }

  @Get()
  @ApiRoute({
    summary: 'VNF instances',
    role: 'reader',
    query: RESOURCES.vnfInstances,
    answers: { 200: { type: 'VnfInstances', headers: ['Link'] } },
  })
  list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    return answerList(request, response, this.publicUrl, RESOURCES.vnfInstances, async (after, limit, { filter, whole }) => {
      const page = { tenant, after, limit, filter };
      if (!whole) return (await this.instances.listed(page)).map((listed) => this.rendering.listedInstance(listed));
      return Promise.all((await this.instances.page(page)).map((record) => this.rendering.vnfInstance(record)));
    });
  }

  @Get(':id')
  @ApiRoute({ summary: 'one VNF instance', role: 'reader', answers: { 200: { type: 'VnfInstance', headers: ['ETag'] } } })
  async show(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    const { etag, text } = await this.answers.of(tenant, idOf(request), 'v1', (record) => this.rendering.vnfInstance(record));
    response.set('ETag', etag);
    sendJson(response, text);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiRoute({ summary: 'delete a VNF instance', role: 'operator', answers: { 204: {} }, refusals: [409] })
  async delete(@Req() request: IdentifiedRequest): Promise<void> {
    await this.instances.delete(identityOf(request).tenant, idOf(request));
  }

  /** A task that no VNF here supports: by SOL003 the task resource does not exist then (5.4.7.3.1, response 404). */
  @Post(':id/change_flavour')
  @ApiRoute({ summary: 'a task that no VNF supports', role: 'operator', answers: {} })
  async unsupported(@Req() request: IdentifiedRequest): Promise<never> {
    throw noTask('change_flavour', await this.instances.find(identityOf(request).tenant, idOf(request)));
  }

  /** INSTANTIATE, SCALE and all others that have a task resource. */
  @Post(':id/:task')
  @HttpCode(202)
  @ApiOperationRoutes({ method: 'POST' })
  async operate(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.#operate(request, response, this.operations.at('POST', String(request.params.task)));
  }

  /** A JSON merge patch (RFC 7396); `application/json` is taken for one too, as the reference system does. */
  @Patch(':id')
  @HttpCode(202)
  @ApiOperationRoutes({ method: 'PATCH', refusals: [412] })
  async modify(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.#operate(request, response, this.operations.at('PATCH'));
  }

  async #operate(request: IdentifiedRequest, response: Response, definition: OperationDefinition | undefined): Promise<void> {
    if (definition === undefined) throw noResource(request.path);
    const body = readBody(definition.body, request);
    const { tenant } = identityOf(request);
    const ifMatch = definition.route.method === 'PATCH' ? request.header('if-match') : undefined;
    this.#accepted(
      response,
      await this.instances.operate(tenant, idOf(request), definition, body as JsonObject, undefined, ifMatch),
    );
  }

  /** 202 with an empty body: clients take anything else for no acceptance. */
  #accepted(response: Response, opOccId: string): void {
    response.set('Location', this.rendering.opOccUrl(opOccId)).end();
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);
