import type { JsonObject } from '@windlass/foundation';
import { computeError, invalidField } from '../http/nova-errors.js';
import { bodyMember, HttpFailure, ok, sessionOf, webobPage, type Answer, type Call } from '../http/answer.js';
import { Fields, present } from '../http/json-fields.js';
import { Router } from '../http/router.js';
import type { Service } from '../http/service.js';
import { stableUuid } from '../state/ids.js';
import type { Glance } from '../image/glance.js';
import { middlewareUnauthorized } from '../http/unauthorized.js';
import { pythonStr } from '../http/python-json.js';
import type { CloudState, Volume } from '../state/state.js';
import type { Cinder } from './cinder.js';

const BAD = 'The server could not comply with the request since it is either malformed or otherwise incorrect.';

export interface CinderParts {
  state: CloudState;
  cinder: Cinder;
  glance: Glance;
  /** Refuses where a quota fault is armed. */
  checkQuota: (service: 'cinder', what: string) => void;
}

/** Cinder's API, version 3. */
export function cinderService(parts: CinderParts): Service {
  return {
    name: 'cinder',
    prefix: '/volume',
    router: routes(parts),
    isOpen: (_method, path) => path === '' || path === '/',
    headers: (request) => ({
      'X-Compute-Request-Id': request,
      'Openstack-Api-Version': 'volume 3.0',
      Vary: 'OpenStack-API-Version',
      'X-Openstack-Request-Id': request,
    }),
    unauthorized: middlewareUnauthorized,
    notFound: () => new HttpFailure(404, 'not found', webobPage('404 Not Found', 'The resource could not be found.')),
    wrongMethod: () => computeError(405, 'The method is not allowed for this resource.'),
    badJson: () => computeError(400, 'cannot understand JSON'),
    failure: computeError,
    emptyType: 'text/html; charset=UTF-8',
  };
}

function routes(parts: CinderParts): Router {
  const { cinder, state } = parts;
  const volume = (call: Call): Volume => cinder.get(projectOf(call), call.params.id ?? '');
  return new Router()
    .on('GET', '/', ({ base }) => ({ status: 300, body: versions(base) }))
    .on('GET', '/v3', ({ base }) => ok(versions(base)))
    .on('GET', '/v3/:project/volumes', (call) => ok({ volumes: listed(parts, call).map((one) => summary(call.base, one)) }))
    .on('GET', '/v3/:project/volumes/detail', (call) =>
      ok({ volumes: listed(parts, call).map((one) => volumeView(call.base, one)) }),
    )
    .on('GET', '/v3/:project/volumes/:id', (call) => ok({ volume: volumeView(call.base, volume(call)) }))
    .on('POST', '/v3/:project/volumes', (call) => create(parts, call))
    .on('DELETE', '/v3/:project/volumes/:id', (call) => {
      cinder.delete(projectOf(call), call.params.id ?? '');
      return { status: 202 };
    })
    .on('GET', '/v3/:project/types', (call) => {
      projectOf(call);
      return ok({ volume_types: [volumeType()] });
    })
    .on('GET', '/v3/:project/limits', (call) => {
      const project = projectOf(call);
      return ok({ limits: { rate: [], absolute: limits(cinder.of(project), state.quotas.get(`cinder/${project}`)) } });
    })
    .on('PUT', '/v3/:project/os-quota-sets/:of', (call) => setQuota(state, call));
}

/** What an administrator lets a project have. */
function setQuota(state: CloudState, call: Call): Answer {
  if (!sessionOf(call).isAdmin) throw computeError(403, "Policy doesn't allow volume_extension:quotas:update to be performed.");
  const key = `cinder/${call.params.of}`;
  const set = Object.entries(bodyMember(call, 'quota_set') ?? {}).map(([name, value]) => {
    if (!['volumes', 'gigabytes'].includes(name) || typeof value !== 'number' || value < -1)
      throw invalidField(name, pythonStr(value), `${pythonStr(value)} is not valid`);
    return [name, value] as const;
  });
  state.quotas.set(key, { ...state.quotas.get(key), ...Object.fromEntries(set) });
  return ok({ quota_set: { ...state.quotas.get(key) } });
}

const versions = (base: string): JsonObject => ({
  versions: [
    {
      id: 'v3.0',
      status: 'CURRENT',
      version: '3.70',
      min_version: '3.0',
      updated: '2022-08-31T00:00:00Z',
      links: [
        { rel: 'describedby', type: 'text/html', href: 'https://docs.openstack.org/' },
        { rel: 'self', href: `${base}/volume/v3/` },
      ],
      'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.volume+json;version=3' }],
    },
  ],
});

const volumeType = (): JsonObject => ({
  id: stableUuid('volume-type'),
  name: '__DEFAULT__',
  is_public: true,
  description: 'Default Volume Type',
  extra_specs: {},
  'os-volume-type-access:is_public': true,
});

const limits = (volumes: Volume[], quotas: Readonly<Record<string, number>> = {}): JsonObject => ({
  maxTotalVolumes: quotas.volumes ?? -1,
  maxTotalSnapshots: 10,
  maxTotalVolumeGigabytes: quotas.gigabytes ?? -1,
  maxTotalBackups: 10,
  maxTotalBackupGigabytes: 1000,
  totalVolumesUsed: volumes.length,
  totalGigabytesUsed: volumes.reduce((sum, volume) => sum + volume.size, 0),
  totalSnapshotsUsed: 0,
  totalBackupsUsed: 0,
  totalBackupGigabytesUsed: 0,
});

const links = (base: string, volume: Volume): JsonObject[] => [
  { rel: 'self', href: `${base}/volume/v3/${volume.projectId}/volumes/${volume.id}` },
  { rel: 'bookmark', href: `${base}/volume/${volume.projectId}/volumes/${volume.id}` },
];

const summary = (base: string, volume: Volume): JsonObject => ({ id: volume.id, name: volume.name, links: links(base, volume) });

export const volumeView = (base: string, volume: Volume): JsonObject => ({
  id: volume.id,
  status: volume.status,
  size: volume.size,
  availability_zone: volume.zone,
  created_at: volume.createdAt,
  updated_at: volume.updatedAt,
  name: volume.name,
  description: volume.description,
  volume_type: '__DEFAULT__',
  snapshot_id: null,
  source_volid: null,
  metadata: volume.metadata,
  links: links(base, volume),
  user_id: volume.userId,
  bootable: String(volume.imageId !== null),
  encrypted: false,
  replication_status: null,
  consistencygroup_id: null,
  multiattach: false,
  attachments: volume.attachments.map((one) => ({
    id: volume.id,
    attachment_id: one.attachmentId,
    volume_id: volume.id,
    server_id: one.serverId,
    host_name: one.host,
    device: one.device,
    attached_at: one.attachedAt,
  })),
  'os-vol-tenant-attr:tenant_id': volume.projectId,
  ...(volume.imageId === null ? {} : { volume_image_metadata: { image_id: volume.imageId, image_name: volume.imageName ?? '' } }),
});

function listed({ cinder }: CinderParts, call: Call): Volume[] {
  const [name, status] = [call.query.get('name'), call.query.get('status')];
  return cinder
    .of(projectOf(call))
    .filter((one) => (name === null || one.name === name) && (status === null || one.status === status))
    .reverse();
}

function create({ cinder, glance, checkQuota }: CinderParts, call: Call): Answer {
  const project = projectOf(call);
  const body = bodyMember(call, 'volume');
  if (body === undefined) throw computeError(400, BAD);
  const fields = new Fields(body, (field, value, expected) =>
    field === 'size'
      ? invalidField(field, pythonStr(value), `'${pythonStr(value)}' does not match '^[0-9]+$'`)
      : invalidField(field, pythonStr(value), `${pythonStr(value)} is not of type '${expected}'`),
  );
  const size = fields.whole('size');
  if (size === undefined || size < 1) throw computeError(400, BAD);
  const imageRef = fields.text('imageRef') ?? fields.text('image_id');
  const image = imageRef === undefined ? undefined : glance.named(project, imageRef)[0];
  if (imageRef !== undefined && image === undefined)
    throw computeError(400, `Invalid image identifier or unable to access requested image.`);
  checkQuota('cinder', 'volume');
  const made = cinder.create(project, sessionOf(call).user.id, {
    size,
    ...present({ name: fields.nullableText('name'), description: fields.nullableText('description'), image }),
  });
  setImmediate(() => cinder.ready(made));
  const shown = volumeView(call.base, made);
  Reflect.deleteProperty(shown, 'os-vol-tenant-attr:tenant_id');
  return { status: 202, body: { volume: shown } };
}

function projectOf(call: Call): string {
  const session = sessionOf(call);
  if (session.project === undefined) throw middlewareUnauthorized();
  if (call.params.project !== session.project.id) throw computeError(400, 'Malformed request url');
  return session.project.id;
}
