import { Controller, Delete, Get, HttpCode, Patch, Post, Req, Res } from '@nestjs/common';
import { SecretPlaces, type JsonObject } from '@windlass/foundation';
import { OperationTable, type OperationDefinition, type VnfInstanceRecord } from '@windlass/lifecycle';
import {
  APIS,
  CreateVnfRequestBody,
  opOccUrl,
  renderVnfInstance,
  RESOURCES,
  validateBody,
  vnfInstanceUrl,
  type InstanceTask,
  type VnfInstance,
} from '@windlass/sol003';
import type { Response } from 'express';
import { DriverRegistry } from '../drivers/driver-registry.js';
import { jsonBody, listAnswer } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../http/identity.js';
import { PublicUrl } from '../http/public-url.js';
import { noResource } from '../http/routes.js';
import { VnfInstances } from './vnf-instances.js';

const PREFIX = APIS.vnflcmV1.uriPrefix;

/** `/vnflcm/v1/vnf_instances` (SOL003 5.4.2 - 5.4.4, 5.4.8). */
@Controller('vnflcm/v1/vnf_instances')
export class VnfInstancesController {
  constructor(
    private readonly instances: VnfInstances,
    private readonly drivers: DriverRegistry,
    private readonly publicUrl: PublicUrl,
    private readonly operations: OperationTable,
  ) {}

  @Post()
  async create(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<VnfInstance> {
    const record = await this.instances.create(identityOf(request).tenant, validateBody(CreateVnfRequestBody, jsonBody(request)));
    const root = this.#root();
    response.set('Location', vnfInstanceUrl(root, record.id));
    return this.#render(record, root);
  }

  @Get()
  list(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<object[]> {
    const { tenant } = identityOf(request);
    const root = this.#root();
    return listAnswer(request, response, this.publicUrl, RESOURCES.vnfInstances, async (after, limit) =>
      Promise.all((await this.instances.page(tenant, after, limit)).map((record) => this.#render(record, root))),
    );
  }

  @Get(':id')
  async show(@Req() request: IdentifiedRequest): Promise<VnfInstance> {
    return this.#render(await this.instances.find(identityOf(request).tenant, idOf(request)), this.#root());
  }

  @Delete(':id')
  @HttpCode(204)
  async delete(@Req() request: IdentifiedRequest): Promise<void> {
    await this.instances.delete(identityOf(request).tenant, idOf(request));
  }

  /** INSTANTIATE, SCALE and all others that have a task resource. */
  @Post(':id/:task')
  @HttpCode(202)
  async operate(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.#operate(request, response, this.operations.at('POST', String(request.params.task)));
  }

  /** A JSON merge patch (RFC 7396); `application/json` is taken for one too, as the reference system does. */
  @Patch(':id')
  @HttpCode(202)
  async modify(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.#operate(request, response, this.operations.at('PATCH'));
  }

  async #operate(request: IdentifiedRequest, response: Response, definition: OperationDefinition | undefined): Promise<void> {
    if (definition === undefined) throw noResource(request.path);
    const body = validateBody(definition.body, jsonBody(request));
    const { tenant } = identityOf(request);
    this.#accepted(response, await this.instances.operate(tenant, idOf(request), definition, body as JsonObject));
  }

  /** 202 with an empty body: clients take anything else for no acceptance. */
  #accepted(response: Response, opOccId: string): void {
    response.set('Location', opOccUrl(this.#root(), opOccId)).end();
  }

  async #render(record: VnfInstanceRecord, root: string): Promise<VnfInstance> {
    const { instantiated, instantiationState } = record;
    const secrets = instantiated === null ? SecretPlaces.none : await this.drivers.secrets.of(instantiated.drivers);
    return render(record, root, secrets, this.operations.tasksIn(instantiationState));
  }

  #root(): string {
    return this.publicUrl.of(PREFIX);
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);

/** An instance as the API shows it. @param secrets of its parameters, as its drivers say */
function render(record: VnfInstanceRecord, root: string, secrets: SecretPlaces, offered: readonly InstanceTask[]): VnfInstance {
  const { instantiated, desired } = record;
  return renderVnfInstance(
    {
      id: record.id,
      ...(record.vnfInstanceName === null ? {} : { vnfInstanceName: record.vnfInstanceName }),
      ...(record.vnfInstanceDescription === null ? {} : { vnfInstanceDescription: record.vnfInstanceDescription }),
      vnfdId: record.vnfdId,
      vnfProvider: record.vnfProvider,
      vnfProductName: record.vnfProductName,
      vnfSoftwareVersion: record.vnfSoftwareVersion,
      vnfdVersion: record.vnfdVersion,
      vnfPkgId: record.vnfPkgId,
      instantiationState: record.instantiationState,
      ...(record.metadata === null ? {} : { metadata: record.metadata }),
      vimConnectionInfo: record.vimConnectionInfo,
      ...(instantiated === null ? {} : { instantiatedVnfInfo: { ...instantiated.info, ...paramsOf(desired) } }),
    },
    root,
    secrets,
    offered,
  );
}

const paramsOf = (desired: VnfInstanceRecord['desired']) =>
  desired?.additionalParams === undefined ? {} : { additionalParams: desired.additionalParams };
