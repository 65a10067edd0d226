import { Controller, Delete, HttpCode, Patch, Post, Put, Req, Res } from '@nestjs/common';
import { RequestError, type JsonObject } from '@windlass/foundation';
import type { VnfPackageEntity } from '@windlass/persistence';
import {
  CreateVnfPkgInfoRequestBody,
  UploadVnfPackageFromUriRequestBody,
  VnfPkgInfoModificationBody,
  type VnfPkgInfo,
} from '@windlass/sol003';
import type { Response } from 'express';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { readBody } from '../http/read-body.js';
import { Rendering } from '../rendering/rendering.js';
import { fileOfForm } from './form-file.js';
import { Onboarding } from './onboarding.js';
import { PackageViews } from './package-views.js';
import { VnfPackages } from './vnf-packages.js';
import { ApiRoute } from '../routes/route.js';

/** What a zip is sent as: the standard's, what Windows and older browsers call it, and what says nothing. */
const ZIP_TYPES = ['application/zip', 'application/octet-stream', 'application/x-zip-compressed', 'application/x-zip'];

/** `/vnfpkgm/v1/vnf_packages` (SOL005 9.4.2 - 9.4.7), but for how they are read. */
@Controller('vnfpkgm/v1/vnf_packages')
export class VnfPackagesController {
  constructor(
    private readonly packages: VnfPackages,
    private readonly views: PackageViews,
    private readonly onboarding: Onboarding,
    private readonly rendering: Rendering,
  ) {}

  @Post()
  @ApiRoute({
    summary: 'create a VNF package',
    role: 'operator',
    body: { of: CreateVnfPkgInfoRequestBody, optional: true },
    answers: { 201: { type: 'VnfPkgInfo', headers: ['Location'] } },
    refusals: [409],
  })
  async create(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<VnfPkgInfo> {
    const { userDefinedData = {} } = readBody(CreateVnfPkgInfoRequestBody, request);
    const { tenant } = identityOf(request);
    const id = await this.packages.create(tenant, userDefinedData as JsonObject);
    response.set('Location', this.rendering.vnfPackageUrl(id));
    return this.rendering.vnfPackage(await this.views.one(tenant, id));
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
    const change = readBody(VnfPkgInfoModificationBody, request);
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
    body: { mediaTypes: [...ZIP_TYPES, 'multipart/form-data'] },
    answers: { 202: {} },
    refusals: [409],
  })
  async upload(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { id } = await this.#find(request);
    // A body that is refused half-way still gets its answer: the rest of it is read and dropped, and the connection stays.
    const bytes = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    const { content, length } = contentOf(request, bytes);
    await this.onboarding.receive(id, content, length);
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
    const source = readBody(UploadVnfPackageFromUriRequestBody, request);
    const { id } = await this.#find(request);
    await this.onboarding.receiveFrom(id, source);
    response.end();
  }

  #find(request: IdentifiedRequest): Promise<VnfPackageEntity> {
    return this.packages.find(identityOf(request).tenant, idOf(request));
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);

/** The zip that a request carries, as its body or as the file of a form; and its length, where that is known. @throws RequestError 415, 400 */
function contentOf(
  request: IdentifiedRequest,
  bytes: AsyncIterable<Uint8Array>,
): { content: AsyncIterable<Uint8Array>; length: number } {
  const header = request.header('content-type') ?? 'application/zip';
  const type = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (ZIP_TYPES.includes(type)) return { content: bytes, length: Number(request.header('content-length') ?? 0) };
  if (type === 'multipart/form-data') return { content: fileOfForm(bytes, header), length: 0 };
  const reason = `send the zip itself as application/zip, or as the file of a form (multipart/form-data); not as ${JSON.stringify(type)}`;
  throw new RequestError(415, 'request.media-type', reason);
}
