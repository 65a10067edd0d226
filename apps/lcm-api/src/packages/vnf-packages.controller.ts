import { Controller, Delete, Get, HttpCode, Patch, Post, Put, Req, Res } from '@nestjs/common';
import { RequestError, type JsonObject } from '@windlass/foundation';
import type { VnfPackageEntity } from '@windlass/persistence';
import {
  CreateVnfPkgInfoRequestBody,
  RESOURCES,
  UploadVnfPackageFromUriRequestBody,
  validateBody,
  VnfPkgInfoModificationBody,
  type VnfPkgInfo,
} from '@windlass/sol003';
import type { Response } from 'express';
import { jsonBody, answerList } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../http/identity.js';
import { PublicUrl } from '../http/public-url.js';
import { Rendering } from '../rendering/rendering.js';
import { Onboarding } from './onboarding.js';
import { PACKAGE_ROUTES } from './package-routes.js';
import { PackageAnswers } from './package-answers.js';
import { PackageViews } from './package-views.js';
import { VnfPackages } from './vnf-packages.js';
import { ApiRoute } from '../routes/route.js';

/** `/vnfpkgm/v1/vnf_packages` (SOL005 9.4.2 - 9.4.7; its reading half is SOL003's 10.4). */
@Controller('vnfpkgm/v1/vnf_packages')
export class VnfPackagesController {
  constructor(
    private readonly packages: VnfPackages,
    private readonly views: PackageViews,
    private readonly answers: PackageAnswers,
    private readonly onboarding: Onboarding,
    private readonly rendering: Rendering,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Post()
  @ApiRoute({
    summary: 'create a VNF package',
    role: 'operator',
    body: { of: CreateVnfPkgInfoRequestBody, optional: true },
    answers: { 201: { type: 'VnfPkgInfo', headers: ['Location'] } },
  })
  async create(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<VnfPkgInfo> {
    const { userDefinedData = {} } = validateBody(CreateVnfPkgInfoRequestBody, jsonBody(request));
    const { tenant } = identityOf(request);
    const id = await this.packages.create(tenant, userDefinedData as JsonObject);
    response.set('Location', this.rendering.vnfPackageUrl(id));
    return this.rendering.vnfPackage(await this.views.one(tenant, id));
  }

  @Get()
  @ApiRoute({
    summary: 'VNF packages',
    role: 'reader',
    query: RESOURCES.vnfPackages,
    answers: { 200: { type: 'VnfPkgsInfo', headers: ['Link'] } },
  })
  list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    return answerList(request, response, this.publicUrl, RESOURCES.vnfPackages, async (after, limit) =>
      (await this.views.page(tenant, after, limit, false)).map((view) => this.rendering.vnfPackage(view)),
    );
  }

  @Get(':id')
  @ApiRoute({ summary: 'one VNF package', role: 'reader', answers: { 200: { type: 'VnfPkgInfo' } } })
  async show(@Req() request: IdentifiedRequest): Promise<VnfPkgInfo> {
    return this.rendering.vnfPackage(await this.views.one(identityOf(request).tenant, idOf(request)));
  }

  /** A JSON merge patch (RFC 7396); `application/json` is taken for one too. */
  @Patch(':id')
  @ApiRoute({
    summary: 'change a VNF package',
    role: 'operator',
    body: { of: VnfPkgInfoModificationBody },
    answers: { 200: { type: 'VnfPkgInfoModification' } },
    refusals: [409],
  })
  update(@Req() request: IdentifiedRequest): Promise<JsonObject> {
    const change = validateBody(VnfPkgInfoModificationBody, jsonBody(request));
    return this.packages.update(identityOf(request).tenant, idOf(request), change);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiRoute({ summary: 'delete a VNF package', role: 'operator', answers: { 204: {} }, refusals: [409] })
  async delete(@Req() request: IdentifiedRequest): Promise<void> {
    await this.packages.delete(identityOf(request).tenant, idOf(request));
  }

  @Put(':id/package_content')
  @HttpCode(202)
  @ApiRoute({
    summary: 'upload the content of a VNF package',
    role: 'operator',
    body: { mediaTypes: ['application/zip', 'application/octet-stream'] },
    answers: { 202: {} },
    refusals: [409],
  })
  async upload(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { id } = await this.#find(request);
    const type = (request.header('content-type') ?? 'application/zip').split(';', 1)[0]?.trim();
    if (type !== 'application/zip' && type !== 'application/octet-stream')
      throw new RequestError(415, 'request.media-type', 'send the package as application/zip');
    // What is refused midway gets its answer: the rest of the body is passed over, and the connection stays.
    await this.onboarding.receive(id, request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>);
    response.end();
  }

  /** Asynchronous: what comes of it is the package's state, and `onboardingFailureDetails`. */
  @Post(':id/package_content/upload_from_uri')
  @HttpCode(202)
  @ApiRoute({
    summary: 'fetch the content of a VNF package from a URI',
    role: 'operator',
    body: { of: UploadVnfPackageFromUriRequestBody },
    answers: { 202: {} },
    refusals: [409],
  })
  async uploadFromUri(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const source = validateBody(UploadVnfPackageFromUriRequestBody, jsonBody(request));
    const { id } = await this.#find(request);
    await this.onboarding.receiveFrom(id, source);
    response.end();
  }

  @Get(':id/package_content')
  @ApiRoute(PACKAGE_ROUTES.content)
  async download(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.answers.archive(await this.#find(request), request, response);
  }

  @Get(':id/vnfd')
  @ApiRoute(PACKAGE_ROUTES.vnfd)
  async vnfd(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.answers.vnfd(await this.#find(request), request, response);
  }

  @Get(':id/artifacts')
  @ApiRoute(PACKAGE_ROUTES.artifacts)
  async artifacts(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.answers.artifacts(await this.#find(request), request, response);
  }

  @Get(':id/artifacts/*path')
  @ApiRoute(PACKAGE_ROUTES.artifact)
  async artifact(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.answers.artifact(await this.#find(request), artifactPathOf(request), request, response);
  }

  #find(request: IdentifiedRequest): Promise<VnfPackageEntity> {
    return this.packages.find(identityOf(request).tenant, idOf(request));
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);

/** The rest of the path, decoded once: its slashes may have come encoded or not. */
export const artifactPathOf = ({ params: { path } }: IdentifiedRequest): string => [path ?? []].flat().join('/');
