import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { asJson, type KubeObject } from '../kube/object.js';
import { groupVersionOf, isReview } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';
import type { Authenticator } from './authentication.js';
import type { Authorizer } from './authorization.js';
import { deleteOptions } from './deletion.js';
import { filterOf } from './filters.js';
import type { Identity } from './identity.js';
import type { ObjectCache } from './object-cache.js';
import { appliedBy, isApply, managedBy, objectIn } from './patch/apply.js';
import { patchOf } from './patch/patch.js';
import type { ObjectPlace } from './object-place.js';
import type { ObjectRegistry, WriteContext } from './registry.js';
import type { ResourceRequest } from './request-info.js';
import { answerReview } from './reviews.js';
import { bind, evict, issueToken, scaleOf, setScale, type TokenIssuing } from './subresources.js';
import { tableOf, wantsTable } from './tables/table.js';
import { streamWatch } from './watch-stream.js';

export interface Services {
  registry: ObjectRegistry;
  cache: ObjectCache;
  authenticator: Authenticator;
  authorizer: Authorizer;
  tokens: TokenIssuing;
}

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  identity: Identity;
  info: ResourceRequest;
  /** The parsed body; undefined where there was none. */
  body: Json | undefined;
}

export interface Answer {
  status: number;
  body: JsonObject;
}

/** Serves one request for a resource. Undefined when the handler answers by itself (a watch). */
export async function serveResource(exchange: Exchange, services: Services): Promise<Answer | undefined> {
  const { info, request, response, identity } = exchange;
  if (info.verb === 'watch') {
    streamWatch(info, services.cache, response, wantsTable(request.headers.accept));
    return undefined;
  }
  if (info.verb === 'list') return ok(await list(exchange, services));
  if (info.verb === 'deletecollection') return ok(await deleteCollection(exchange, services));
  if (isReview(info.type)) {
    return { status: 201, body: answerReview(info.type, objectBody(exchange), identity, services) };
  }
  if (info.name === undefined) {
    const created = await services.registry.create(info.type, namespaceOf(info), objectBody(exchange), writing(exchange));
    return { status: 201, body: presented(exchange, created) };
  }
  const place = { type: info.type, namespace: namespaceOf(info), name: info.name };
  if (info.subresource !== undefined) return serveSubresource(place, info.subresource, exchange, services);
  return serveObject(place, exchange, services);
}

const ok = (body: JsonObject): Answer => ({ status: 200, body });

/** For authorization a namespace is in itself; for storage it is not. */
const namespaceOf = (info: ResourceRequest): string | undefined => (info.type.namespaced ? info.namespace : undefined);

function writing({ identity, info }: Exchange): WriteContext {
  const dryRun = info.query.getAll('dryRun');
  if (dryRun.some((value) => value !== 'All')) throw StatusError.badRequest(`invalid dryRun ${dryRun.join(',')}`);
  return { identity, dryRun: dryRun.length > 0 };
}

function objectBody({ body }: Exchange): JsonObject {
  if (!isJsonObject(body)) throw StatusError.badRequest('the request body must be one object');
  return body;
}

function presented({ request, info }: Exchange, object: KubeObject): JsonObject {
  if (!wantsTable(request.headers.accept)) return asJson(object);
  return tableOf(info.type, [object], object.metadata.resourceVersion ?? '', info.query.get('includeObject') ?? 'Metadata');
}

async function list({ info, request }: Exchange, { registry }: Services): Promise<JsonObject> {
  const filter = filterOf(info.type, info.query, info.name);
  const { items, revision } = await registry.list(info.type, namespaceOf(info));
  const found = items.filter(filter);
  if (wantsTable(request.headers.accept)) {
    return tableOf(info.type, found, String(revision), info.query.get('includeObject') ?? 'Metadata');
  }
  return {
    kind: `${info.type.kind}List`,
    apiVersion: groupVersionOf(info.type),
    metadata: { resourceVersion: String(revision) },
    items: found.map(asJson),
  };
}

async function deleteCollection(exchange: Exchange, { registry }: Services): Promise<JsonObject> {
  const { info, body } = exchange;
  const filter = filterOf(info.type, info.query, undefined);
  const namespace = namespaceOf(info);
  const { items } = await registry.list(info.type, namespace);
  const options = deleteOptions(isJsonObject(body) ? body : undefined, info.query);
  for (const { metadata } of items.filter(filter)) {
    await registry.delete({ type: info.type, namespace: metadata.namespace, name: metadata.name }, options, writing(exchange));
  }
  return success({});
}

const success = (details: JsonObject): JsonObject => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details,
});

async function serveObject(place: ObjectPlace, exchange: Exchange, { registry }: Services): Promise<Answer> {
  const { info, body } = exchange;
  if (info.verb === 'get') return ok(presented(exchange, await registry.get(place)));
  if (info.verb === 'delete') {
    const options = deleteOptions(isJsonObject(body) ? body : undefined, info.query);
    const { gone, object } = await registry.delete(place, options, writing(exchange));
    if (!gone || place.type.plural === 'pods') return ok(asJson(object));
    return ok(success({ name: place.name, group: place.type.group, kind: place.type.plural, uid: object.metadata.uid ?? '' }));
  }
  if (isApply(exchange.request.headers['content-type'])) return applied(place, exchange, registry);
  return ok(presented(exchange, await registry.update(place, undefined, changeOf(exchange), writing(exchange))));
}

/** Makes the object, or changes it. */
async function applied(place: ObjectPlace, exchange: Exchange, registry: ObjectRegistry): Promise<Answer> {
  const { body, info } = exchange;
  const change = appliedBy(body, info.query);
  try {
    return ok(presented(exchange, await registry.update(place, undefined, change, writing(exchange))));
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
    const created = await registry.create(place.type, place.namespace, managedBy(objectIn(body), info.query), writing(exchange));
    return { status: 201, body: presented(exchange, created) };
  }
}

/** What a PUT or PATCH does to the present state. */
function changeOf(exchange: Exchange): (current: JsonObject) => JsonObject {
  if (exchange.info.verb === 'update') {
    const next = objectBody(exchange);
    return () => next;
  }
  return patchOf(exchange.request.headers['content-type'] ?? '', exchange.body ?? null);
}

async function serveSubresource(
  place: ObjectPlace,
  subresource: string,
  exchange: Exchange,
  services: Services,
): Promise<Answer> {
  const { registry, cache, tokens } = services;
  const context = writing(exchange);
  if (subresource === 'token') return { status: 201, body: await issueToken(place, objectBody(exchange), registry, tokens) };
  if (subresource === 'eviction') {
    await evict(place, objectBody(exchange), registry, cache, context);
    return { status: 201, body: success({}) };
  }
  if (subresource === 'binding') {
    await bind(place, objectBody(exchange), registry, context);
    return { status: 201, body: success({}) };
  }
  if (subresource === 'scale') {
    if (exchange.info.verb === 'get') return ok(scaleOf(await registry.get(place)));
    return ok(await setScale(place, changeOf(exchange), registry, context));
  }
  if (exchange.info.verb === 'get') return ok(presented(exchange, await registry.get(place)));
  return ok(presented(exchange, await registry.update(place, subresource, changeOf(exchange), context)));
}
