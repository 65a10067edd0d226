import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { ok, sessionOf, type Answer, type Call } from '../http/answer.js';
import { Fields, present } from '../http/json-fields.js';
import { Router } from '../http/router.js';
import type { Service } from '../http/service.js';
import { isoSeconds } from '../state/ids.js';
import { pythonRepr, pythonStr } from '../http/python-json.js';
import type { Image } from '../state/state.js';
import type { Glance, ImageRequest } from './glance.js';
import { glancePage, schemaError } from './glance-errors.js';

const UNVERIFIED =
  'This server could not verify that you are authorized to access the document you requested. Either you supplied the wrong credentials (e.g., bad password), or your browser does not understand how to supply the credentials required.';
const FORMATS: Record<string, string[]> = {
  disk_format: ['ami', 'ari', 'aki', 'vhd', 'vhdx', 'vmdk', 'raw', 'qcow2', 'vdi', 'iso', 'ploop'],
  container_format: ['ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker', 'compressed'],
  visibility: ['community', 'public', 'private', 'shared'],
};
const PATCH_TYPES = ['application/openstack-images-v2.0-json-patch', 'application/openstack-images-v2.1-json-patch'];

/** Glance's API, version 2. */
export function glanceService(glance: Glance): Service {
  return {
    name: 'glance',
    prefix: '/image',
    router: routes(glance),
    isOpen: (_method, path) => path === '' || path === '/' || path === '/versions',
    headers: (request) => ({ 'X-Openstack-Request-Id': request }),
    unauthorized: () => glancePage(401, UNVERIFIED),
    notFound: () => glancePage(404, 'The resource could not be found.'),
    wrongMethod: () => glancePage(405, 'The method is not allowed for this resource.'),
    badJson: (problem) => glancePage(400, `Malformed JSON in request body: ${problem}`),
    failure: (status, message) => glancePage(status, message),
    emptyType: 'text/html; charset=UTF-8',
  };
}

function routes(glance: Glance): Router {
  const image = (call: Call): Image => glance.get(projectOf(call), call.params.id ?? '');
  return new Router()
    .on('GET', '/', ({ base }) => ({ status: 300, body: versions(base) }))
    .on('GET', '/versions', ({ base }) => ok(versions(base)))
    .on('GET', '/v2/images', (call) => list(glance, call))
    .on('POST', '/v2/images', (call) => create(glance, call))
    .on('GET', '/v2/images/:id', (call) => ok(imageView(image(call))))
    .on('PATCH', '/v2/images/:id', (call) => patch(image(call), call))
    .on('DELETE', '/v2/images/:id', async (call) => {
      await glance.delete(projectOf(call), call.params.id ?? '', sessionOf(call).isAdmin);
      return { status: 204 };
    })
    .on('PUT', '/v2/images/:id/file', async (call) => {
      const target = image(call);
      const type = call.headers['content-type'] ?? '';
      if (type !== 'application/octet-stream') {
        throw glancePage(415, `The request media type ${type} is not supported by this server.`);
      }
      await glance.upload(target, call.raw);
      return { status: 204 };
    })
    .on('GET', '/v2/images/:id/file', async (call) => {
      const target = image(call);
      const content = await glance.content(target);
      if (content === undefined) return { status: 204, contentType: '' };
      const headers = {
        'Content-Type': 'application/octet-stream',
        'Content-Length': String(target.size),
        'Content-Md5': target.checksum ?? '',
      };
      return { status: 200, body: content, headers };
    })
    .on('PUT', '/v2/images/:id/tags/:tag', (call) => {
      const target = image(call);
      const tag = call.params.tag ?? '';
      if (!target.tags.includes(tag)) target.tags.push(tag);
      return { status: 204 };
    })
    .on('DELETE', '/v2/images/:id/tags/:tag', (call) => {
      const target = image(call);
      if (!target.tags.includes(call.params.tag ?? '')) throw glancePage(404, 'The resource could not be found.');
      target.tags = target.tags.filter((tag) => tag !== call.params.tag);
      return { status: 204 };
    })
    .on('GET', '/v2/schemas/image', () =>
      ok({ name: 'image', properties: schemaProperties(), additionalProperties: { type: 'string' } }),
    )
    .on('GET', '/v2/info/import', () =>
      ok({ 'import-methods': { description: 'Import methods available.', type: 'array', value: [] } }),
    )
    .on('GET', '/v2/info/stores', () => {
      throw glancePage(404, 'Multi backend is not supported at this site.');
    });
}

const versions = (base: string): JsonObject => ({
  versions: [15, 9, 7, 6, 5, 4, 3, 2, 1, 0].map((minor) => ({
    id: `v2.${minor}`,
    status: minor === 15 ? 'CURRENT' : 'SUPPORTED',
    links: [{ rel: 'self', href: `${base}/image/v2/` }],
  })),
});

export const imageView = (image: Image): JsonObject => ({
  ...image.extra,
  name: image.name,
  disk_format: image.diskFormat,
  container_format: image.containerFormat,
  visibility: image.visibility,
  size: image.size,
  virtual_size: image.diskFormat === 'raw' ? image.size : null,
  status: image.status,
  checksum: image.checksum,
  protected: image.protected,
  min_ram: image.minRam,
  min_disk: image.minDisk,
  owner: image.owner,
  os_hidden: image.hidden,
  os_hash_algo: image.sha512 === null ? null : 'sha512',
  os_hash_value: image.sha512,
  id: image.id,
  created_at: image.createdAt,
  updated_at: image.updatedAt,
  tags: image.tags,
  self: `/v2/images/${image.id}`,
  file: `/v2/images/${image.id}/file`,
  schema: '/v2/schemas/image',
});

const schemaProperties = (): JsonObject => ({
  id: { type: 'string' },
  name: { type: ['null', 'string'], maxLength: 255 },
  disk_format: { type: ['null', 'string'], enum: [null, ...(FORMATS.disk_format ?? [])] },
  container_format: { type: ['null', 'string'], enum: [null, ...(FORMATS.container_format ?? [])] },
  tags: { type: 'array', items: { type: 'string', maxLength: 255 } },
});

const KNOWN = [
  'id',
  'name',
  'visibility',
  'disk_format',
  'container_format',
  'min_disk',
  'min_ram',
  'protected',
  'os_hidden',
  'tags',
];

/** Glance keeps whole numbers in columns of 32 bits. */
const MOST = 2 ** 31 - 1;

function requestOf(body: JsonObject): ImageRequest {
  const fields = new Fields(body, (_name, value, expected) => schemaError(`${pythonRepr(value)} is not of type '${expected}'`));
  for (const [name, allowed] of Object.entries(FORMATS)) {
    const value = fields.text(name);
    if (value !== undefined && !allowed.includes(value)) {
      throw schemaError(`${pythonRepr(value)} is not one of [None, ${allowed.map(pythonRepr).join(', ')}]`);
    }
  }
  for (const name of ['min_ram', 'min_disk']) {
    const value = fields.whole(name);
    if (value !== undefined && value > MOST) throw glancePage(400, `'${name}' value out of range, must not exceed ${MOST}.`);
  }
  const extra = Object.entries(body).filter(([name]) => !KNOWN.includes(name));
  for (const [, value] of extra) if (typeof value !== 'string') throw schemaError(`${pythonRepr(value)} is not of type 'string'`);
  return present({
    id: fields.text('id'),
    name: fields.nullableText('name'),
    visibility: fields.text('visibility'),
    diskFormat: fields.nullableText('disk_format'),
    containerFormat: fields.nullableText('container_format'),
    minDisk: fields.whole('min_disk'),
    minRam: fields.whole('min_ram'),
    protected: fields.flag('protected'),
    hidden: fields.flag('os_hidden'),
    tags: fields.texts('tags'),
    extra: Object.fromEntries(extra.map(([name, value]) => [name, pythonStr(value)])),
  });
}

function create(glance: Glance, call: Call): Answer {
  const session = sessionOf(call);
  if (!isJsonObject(call.json)) throw schemaError(`${pythonRepr(call.json)} is not of type 'object'`);
  const requested = requestOf(call.json);
  if (requested.visibility === 'public' && !session.isAdmin)
    throw glancePage(403, 'You are not authorized to complete publicize_image action.');
  const image = glance.create(projectOf(call), requested);
  return { status: 201, body: imageView(image), headers: { Location: `${call.base}/image/v2/images/${image.id}` } };
}

/** JSON patch, of whole properties only: name, tags, visibility and the user's own. */
function patch(image: Image, call: Call): Answer {
  const type = call.headers['content-type'] ?? '';
  if (!PATCH_TYPES.includes(type)) throw glancePage(415, `The request media type ${type} is not supported by this server.`);
  if (!Array.isArray(call.json)) throw glancePage(400, 'Request body must be a JSON array of operation objects.');
  for (const operation of call.json) apply(image, operation);
  image.updatedAt = isoSeconds();
  return ok(imageView(image));
}

function apply(image: Image, operation: Json): void {
  if (!isJsonObject(operation)) throw glancePage(400, 'Operations must be JSON objects.');
  const { op, path, value } = operation;
  if (typeof path !== 'string' || !/^\/[^/]+$/.test(path))
    throw glancePage(400, `Invalid JSON pointer for this resource: '${pythonStr(path)}'`);
  const name = path.slice(1);
  if (op === 'remove') {
    if (image.extra[name] === undefined) throw glancePage(409, `Property ${name} does not exist.`);
    Reflect.deleteProperty(image.extra, name);
    return;
  }
  if (op !== 'add' && op !== 'replace') throw glancePage(400, `Operations must be add, replace or remove, not ${pythonStr(op)}`);
  const requested = requestOf({ [name]: value ?? null });
  if (name === 'name') image.name = requested.name ?? null;
  else if (name === 'tags') image.tags = requested.tags ?? [];
  else if (name === 'visibility') image.visibility = requested.visibility ?? image.visibility;
  else if (name === 'protected') image.protected = requested.protected ?? image.protected;
  else if (KNOWN.includes(name)) throw glancePage(403, `Attribute '${name}' is read-only.`);
  else Object.assign(image.extra, requested.extra);
}

function list(glance: Glance, call: Call): Answer {
  const limitText = call.query.get('limit');
  if (limitText !== null && !/^-?\d+$/.test(limitText)) throw glancePage(400, 'limit param must be an integer');
  const seen = glance
    .of(projectOf(call))
    .map(imageView)
    .filter((view) => matches(call.query, view));
  const marker = call.query.get('marker');
  const from = marker === null ? 0 : seen.findIndex((view) => view.id === marker) + 1;
  const page = limitText === null ? seen.slice(from) : seen.slice(from, from + Number(limitText));
  const search = call.query.size === 0 ? '' : `?${call.query.toString()}`;
  const more = from + page.length < seen.length;
  const next = new URLSearchParams(call.query);
  next.set('marker', pythonStr(page.at(-1)?.id ?? ''));
  return ok({
    images: page,
    first: `/v2/images${search}`,
    schema: '/v2/schemas/images',
    ...(more ? { next: `/v2/images?${next.toString()}` } : {}),
  });
}

/** A value as a query spells it. */
const shownAs = (value: Json | undefined): string => (typeof value === 'boolean' ? String(value) : pythonStr(value ?? ''));

const PAGING = ['limit', 'marker', 'sort', 'sort_key', 'sort_dir', 'member_status'];

function matches(query: URLSearchParams, view: JsonObject): boolean {
  if (query.get('os_hidden') !== 'true' && view.os_hidden === true) return false;
  return [...query.entries()].every(([name, wanted]) => {
    if (PAGING.includes(name)) return true;
    if (name === 'tag') return Array.isArray(view.tags) && view.tags.includes(wanted);
    const any = wanted.startsWith('in:') ? wanted.slice(3).split(',') : [wanted];
    return any.some((text) => text.replaceAll('"', '') === shownAs(view[name]));
  });
}

function projectOf(call: Call): string {
  const project = sessionOf(call).project;
  if (project === undefined) throw glancePage(401, UNVERIFIED);
  return project.id;
}
