import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@windlass/foundation';
import { asJson, type KubeObject } from '../kube/object.js';
import { groupVersionOf, storageKey } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';
import { filterOf, type Filter } from './filters.js';
import type { CacheEvent, ObjectCache } from './object-cache.js';
import type { ResourceRequest } from './request-info.js';
import { tableOf } from './tables/table.js';

/** A watch ends by itself after this long unless the client asks for less; clients open the next one. */
const DEFAULT_TIMEOUT_SECONDS = 1_800;

/** How often a client that wants bookmarks gets one: it then knows that the stream lives, and how far it is. */
const BOOKMARK_EVERY_MS = 10_000;

/**
 * Answers a watch: one JSON document a line, until the client goes or the time is over.
 * @throws StatusError 400, 410 before anything is sent
 */
export function streamWatch(request: ResourceRequest, cache: ObjectCache, response: ServerResponse, table: boolean): void {
  const { type, namespace, name, query } = request;
  const filter = filterOf(type, query, name);
  const prefix = storageKey(type, namespace);
  const asked = query.get('resourceVersion') ?? '';
  let first = true;
  const encode = (object: KubeObject): JsonObject => {
    if (!table) return asJson(object);
    const result = tableOf(type, [object], object.metadata.resourceVersion ?? '', query.get('includeObject') ?? 'Metadata');
    if (!first) result.columnDefinitions = [];
    first = false;
    return result;
  };
  const send = (event: string, object: JsonObject): void => void response.write(`${JSON.stringify({ type: event, object })}\n`);
  const fresh = asked === '' || asked === '0';
  const after = fresh ? cache.revision : Number(asked);
  if (!Number.isSafeInteger(after)) throw StatusError.badRequest(`invalid resource version "${asked}"`);
  const pending: CacheEvent[] = [];
  let started = false;
  const forward = (event: CacheEvent): void => {
    const change = seenThrough(filter, event);
    if (change !== undefined) send(change, encode(event.object));
  };
  const unsubscribe = cache.subscribe(prefix, after, (event) => {
    if (started) forward(event);
    else pending.push(event);
  });
  response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  response.flushHeaders();
  if (fresh) for (const object of cache.list(prefix)) if (filter(object)) send('ADDED', encode(object));
  started = true;
  pending.forEach(forward);
  const timers = keepTime(query, response, () => {
    const object = {
      kind: type.kind,
      apiVersion: groupVersionOf(type),
      metadata: { resourceVersion: String(cache.revision), creationTimestamp: null },
    };
    send('BOOKMARK', object);
  });
  response.on('close', () => {
    unsubscribe();
    timers.stop();
  });
}

function keepTime(query: URLSearchParams, response: ServerResponse, bookmark: () => void): { stop(): void } {
  const seconds = Number(query.get('timeoutSeconds') ?? '0') || DEFAULT_TIMEOUT_SECONDS;
  const end = setTimeout(() => response.end(), seconds * 1_000);
  const wanted = query.get('allowWatchBookmarks') === 'true';
  const marks = wanted ? setInterval(bookmark, BOOKMARK_EVERY_MS) : undefined;
  return {
    stop: () => {
      clearTimeout(end);
      clearInterval(marks);
    },
  };
}

/** What an event is to somebody who sees only what the filter lets through. */
function seenThrough(filter: Filter, event: CacheEvent): CacheEvent['type'] | undefined {
  const before = event.previous !== undefined && filter(event.previous);
  if (event.type === 'DELETED') return before ? 'DELETED' : undefined;
  const now = filter(event.object);
  if (now) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}
