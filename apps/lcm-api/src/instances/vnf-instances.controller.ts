import { Controller, Delete, Get, HttpCode, Patch, Post, Req, Res } from '@nestjs/common';
import { SecretPlaces } from '@windlass/foundation';
import { sagaOf, type LcmOperation, type VnfInstanceRecord } from '@windlass/lifecycle';
import {
  APIS,
  CreateVnfRequestBody,
  HealVnfRequestBody,
  InstantiateVnfRequestBody,
  opOccUrl,
  renderVnfInstance,
  RESOURCES,
  ScaleVnfRequestBody,
  TerminateVnfRequestBody,
  validateBody,
  VnfInfoModificationRequestBody,
  vnfInstanceUrl,
  type VnfInstance,
  type VnfInstanceLinks,
} from '@windlass/sol003';
import type { Response } from 'express';
import { DriverRegistry } from '../drivers/driver-registry.js';
import { jsonBody, listAnswer } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../http/identity.js';
import { PublicUrl } from '../http/public-url.js';
import { VnfInstances } from './vnf-instances.js';

const PREFIX = APIS.vnflcmV1.uriPrefix;

/** `/vnflcm/v1/vnf_instances` (SOL003 5.4.2 - 5.4.4, 5.4.8). */
@Controller('vnflcm/v1/vnf_instances')
export class VnfInstancesController {
  constructor(
    private readonly instances: VnfInstances,
    private readonly drivers: DriverRegistry,
    private readonly publicUrl: PublicUrl,
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

  @Post(':id/instantiate')
  @HttpCode(202)
  async instantiate(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const body = validateBody(InstantiateVnfRequestBody, jsonBody(request));
    this.#accepted(response, await this.instances.instantiate(identityOf(request).tenant, idOf(request), body));
  }

  @Post(':id/terminate')
  @HttpCode(202)
  async terminate(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const body = validateBody(TerminateVnfRequestBody, jsonBody(request));
    this.#accepted(response, await this.instances.terminate(identityOf(request).tenant, idOf(request), body));
  }

  @Post(':id/heal')
  @HttpCode(202)
  async heal(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const body = validateBody(HealVnfRequestBody, jsonBody(request));
    this.#accepted(response, await this.instances.heal(identityOf(request).tenant, idOf(request), body));
  }

  @Post(':id/scale')
  @HttpCode(202)
  async scale(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const body = validateBody(ScaleVnfRequestBody, jsonBody(request));
    this.#accepted(response, await this.instances.scale(identityOf(request).tenant, idOf(request), body));
  }

  /** A JSON merge patch (RFC 7396); `application/json` is taken for one too, as the reference system does. */
  @Patch(':id')
  @HttpCode(202)
  async modify(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const body = validateBody(VnfInfoModificationRequestBody, jsonBody(request));
    this.#accepted(response, await this.instances.modify(identityOf(request).tenant, idOf(request), body));
  }

  /** 202 with an empty body: clients take anything else for no acceptance. */
  #accepted(response: Response, opOccId: string): void {
    response.set('Location', opOccUrl(this.#root(), opOccId)).end();
  }

  async #render(record: VnfInstanceRecord, root: string): Promise<VnfInstance> {
    const { instantiated } = record;
    return render(record, root, instantiated === null ? SecretPlaces.none : await this.drivers.secrets.of(instantiated.drivers));
  }

  #root(): string {
    return this.publicUrl.of(PREFIX);
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);

/** An instance as the API shows it. @param secrets of its parameters, as its drivers say */
function render(record: VnfInstanceRecord, root: string, secrets: SecretPlaces): VnfInstance {
  const shown = renderAll(record, root, secrets);
  return shown._links === undefined ? shown : { ...shown, _links: offeredLinks(shown._links) };
}

/** Links of tasks that no saga stands behind are left out: they would be refused. */
function offeredLinks(links: VnfInstanceLinks): VnfInstanceLinks {
  const operations: Partial<Record<keyof VnfInstanceLinks, LcmOperation>> = {
    scale: 'SCALE',
    heal: 'HEAL',
    changeExtConn: 'CHANGE_EXT_CONN',
  };
  const offered = Object.entries(links).filter(([name]) => {
    const operation = operations[name as keyof VnfInstanceLinks];
    return operation === undefined || sagaOf(operation) !== undefined;
  });
  return Object.fromEntries(offered) as unknown as VnfInstanceLinks;
}

function renderAll(record: VnfInstanceRecord, root: string, secrets: SecretPlaces): VnfInstance {
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
  );
}

const paramsOf = (desired: VnfInstanceRecord['desired']) =>
  desired?.additionalParams === undefined ? {} : { additionalParams: desired.additionalParams };
