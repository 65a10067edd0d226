import { Controller, Delete, Get, HttpCode, Req, Res } from '@nestjs/common';
import { RequestError, withoutEnd, isUuid } from '@windlass/foundation';
import { PgHostKeys, type HostKeyRecord, type HostKeyScope } from '@windlass/persistence';
import { MARKER_PARAMETER, PAGE_SIZE } from '@windlass/sol003';
import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { PublicUrl } from '../links/public-url.js';
import { LcmApiSettings } from '../caller/settings.js';
import { RequestTrail } from '../trail/request-trail.js';
import { anObject, listOf, MARKER } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

/** A pinned host key, with its fingerprint as `ssh-keygen -l` shows it. */
export interface HostKeyView extends HostKeyRecord {
  fingerprint: string;
}

/** Pinned SSH host keys of VNFCs, for admins (docs/contracts/rest-extensions.md). */
@Controller('windlass/v1')
export class HostKeysController {
  constructor(
    private readonly keys: PgHostKeys,
    private readonly trail: RequestTrail,
    private readonly settings: LcmApiSettings,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** In the order of resource ids. */
  @Get('host_keys')
  @ApiRoute({
    summary: 'pinned SSH host keys',
    role: 'admin',
    query: {
      ...MARKER,
      vnfInstanceId: { meaning: 'only those of this VNF instance', schema: { type: 'string', format: 'uuid' } },
    },
    answers: { 200: { schema: listOf(anObject('resourceId', 'key', 'fingerprint')), headers: ['Link'] } },
  })
  async list(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<HostKeyView[]> {
    const scope = this.#scopeOf(request);
    const vnfInstanceId = one(request, 'vnfInstanceId');
    if (vnfInstanceId !== undefined && !isUuid(vnfInstanceId)) throw wrong('vnfInstanceId', 'expected the id of a VNF instance');
    const filter = vnfInstanceId === undefined ? {} : { vnfInstanceId };
    const keys = await this.keys.page(scope, filter, placeOf(one(request, MARKER_PARAMETER)), PAGE_SIZE);
    const last = keys.at(-1);
    if (keys.length === PAGE_SIZE && last !== undefined) response.set('Link', this.publicUrl.nextPage(request, markerOf(last)));
    return keys.map((key) => ({ ...key, fingerprint: fingerprintOf(key.key) }));
  }

  /** Removes a pinned key. The next connection pins the key that the machine then shows, which must be one of the known keys where there are any. */
  @Delete('host_keys/:resourceId')
  @HttpCode(204)
  @ApiRoute({ summary: 'forget a pinned SSH host key', role: 'admin', answers: { 204: {} } })
  async remove(@Req() request: IdentifiedRequest): Promise<void> {
    const scope = this.#scopeOf(request);
    const resourceId = String(request.params.resourceId);
    await this.trail.withChange(async (manager) => {
      if ((await this.keys.remove(scope, resourceId, manager)) === undefined)
        throw new RequestError(404, 'host-key.unknown', `no host key is pinned for server ${resourceId}`);
    });
  }

  /** The keys that the caller may see. Keys that were pinned before their project was recorded belong to the operator. */
  #scopeOf(request: IdentifiedRequest): HostKeyScope {
    const { tenant } = identityOf(request);
    return { tenant, unowned: tenant === this.settings.operatorProject };
  }
}

const markerOf = ({ resourceId, vnfInstanceId }: HostKeyRecord): string => `${resourceId}/${vnfInstanceId ?? ''}`;

/** A resource id may have a slash in it, the id of an instance none. */
function placeOf(marker: string | undefined): Pick<HostKeyRecord, 'resourceId' | 'vnfInstanceId'> | undefined {
  if (marker === undefined) return undefined;
  const end = marker.lastIndexOf('/');
  return end < 0
    ? { resourceId: marker, vnfInstanceId: null }
    : { resourceId: marker.slice(0, end), vnfInstanceId: marker.slice(end + 1) };
}

function fingerprintOf(line: string): string {
  const digest = createHash('sha256').update(Buffer.from(line.split(' ')[1] ?? '', 'base64'));
  return `SHA256:${withoutEnd(digest.digest('base64'), '=')}`;
}

/** A parameter that is given once at most. @throws RequestError 400 */
function one({ query }: IdentifiedRequest, name: string): string | undefined {
  const given = query[name];
  if (given === undefined || typeof given === 'string') return given;
  throw wrong(name, 'expected it once');
}

const wrong = (path: string, reason: string): RequestError =>
  new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
