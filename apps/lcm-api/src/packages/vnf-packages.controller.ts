import { Controller, Delete, Get, HttpCode, Patch, Post, Put, Req, Res } from '@nestjs/common';
import { isJsonObject, RequestError, type JsonObject } from '@windlass/foundation';
import type { VnfPackageEntity } from '@windlass/persistence';
import { RESOURCES, type VnfPkgInfo } from '@windlass/sol003';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { jsonBody, listAnswer } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../http/identity.js';
import { PublicUrl } from '../http/public-url.js';
import { Rendering } from '../rendering/rendering.js';
import { Onboarding } from './onboarding.js';
import { VnfPackages } from './vnf-packages.js';

/** Read from the database at once while an archive is sent. */
const PART_BYTES = 1024 * 1024;

/** `/vnfpkgm/v1/vnf_packages` (SOL005 9.4, SOL003 10.4). */
@Controller('vnfpkgm/v1/vnf_packages')
export class VnfPackagesController {
  constructor(
    private readonly packages: VnfPackages,
    private readonly onboarding: Onboarding,
    private readonly rendering: Rendering,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Post()
  async create(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<VnfPkgInfo> {
    const data = objectAt(jsonBody(request), 'userDefinedData') ?? {};
    const entity = await this.packages.create(identityOf(request).tenant, data);
    response.set('Location', this.rendering.vnfPackageUrl(entity.id));
    return this.#shown(entity);
  }

  @Get()
  list(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<object[]> {
    const { tenant } = identityOf(request);
    return listAnswer(request, response, this.publicUrl, RESOURCES.vnfPackages, async (after, limit) =>
      Promise.all((await this.packages.page(tenant, after, limit)).map((entity) => this.#shown(entity))),
    );
  }

  @Get(':id')
  async show(@Req() request: IdentifiedRequest): Promise<VnfPkgInfo> {
    return this.#shown(await this.#find(request));
  }

  @Patch(':id')
  async update(@Req() request: IdentifiedRequest): Promise<JsonObject> {
    const body = jsonBody(request);
    const state = isJsonObject(body) ? body.operationalState : undefined;
    if (state !== undefined && state !== 'ENABLED' && state !== 'DISABLED')
      throw wrong('/operationalState', 'expected ENABLED or DISABLED');
    const userDefinedData = objectAt(body, 'userDefinedData');
    return this.packages.update(identityOf(request).tenant, idOf(request), {
      ...(state === undefined ? {} : { operationalState: state }),
      ...(userDefinedData === undefined ? {} : { userDefinedData }),
    });
  }

  @Delete(':id')
  @HttpCode(204)
  async delete(@Req() request: IdentifiedRequest): Promise<void> {
    await this.packages.delete(identityOf(request).tenant, idOf(request));
  }

  @Put(':id/package_content')
  @HttpCode(202)
  async upload(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { id } = await this.#find(request);
    const type = (request.header('content-type') ?? 'application/zip').split(';', 1)[0]?.trim();
    if (type !== 'application/zip' && type !== 'application/octet-stream')
      throw new RequestError(415, 'request.media-type', 'send the package as application/zip');
    // What is refused midway gets its answer: the rest of the body is passed over, and the connection stays.
    await this.onboarding.receive(id, request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>);
    response.end();
  }

  @Get(':id/package_content')
  async download(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const entity = await this.#find(request);
    if (entity.onboardingState !== 'ONBOARDED')
      throw new RequestError(409, 'vnf-package.not-onboarded', `VNF package ${entity.id} is ${entity.onboardingState}`);
    const size = Number(entity.size);
    const range = rangeOf(request.header('range'), size);
    response
      .status(range.partial ? 206 : 200)
      .set({ 'Content-Type': 'application/zip', 'Accept-Ranges': 'bytes', 'Content-Length': String(range.end - range.start) });
    if (range.partial) response.set('Content-Range', `bytes ${range.start}-${range.end - 1}/${size}`);
    await pipeline(Readable.from(this.#parts(entity, range.start, range.end)), response);
  }

  async *#parts(entity: VnfPackageEntity, start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; at += PART_BYTES) yield await this.packages.read(entity, at, Math.min(PART_BYTES, end - at));
  }

  async #shown(entity: VnfPackageEntity): Promise<VnfPkgInfo> {
    return this.rendering.vnfPackage(await this.packages.view(entity));
  }

  #find(request: IdentifiedRequest): Promise<VnfPackageEntity> {
    return this.packages.find(identityOf(request).tenant, idOf(request));
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);

const wrong = (path: string, reason: string): RequestError =>
  new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });

function objectAt(body: unknown, member: string): JsonObject | undefined {
  if (!isJsonObject(body)) throw wrong('', 'expected an object');
  const value = body[member];
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw wrong(`/${member}`, 'expected an object');
  return value;
}

/** One range of bytes (RFC 9110 14.2); `end` is exclusive. @throws RequestError 400 for several, 416 for one out of bounds */
export function rangeOf(header: string | undefined, size: number): { start: number; end: number; partial: boolean } {
  if (header === undefined) return { start: 0, end: size, partial: false };
  if (header.includes(',')) throw new RequestError(400, 'request.ranges', 'one range of bytes can be asked for at a time');
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (first === '' && last === '') throw new RequestError(416, 'request.range', `"${header}" is no range of bytes`);
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (start >= size || start >= end)
    throw new RequestError(416, 'request.range', `the package has ${size} bytes; the range ${header} lies outside`);
  return { start, end, partial: true };
}
