import { RequestError } from '@windlass/foundation';
import { matches, PAGE_SIZE, parseListQuery, select, type ListQuery, type ResourceTable } from '@windlass/sol003';
import type { Request, Response } from 'express';
import type { PublicUrl } from './public-url.js';

/** What a page is read with: entries after a marker, in the order of ids, at most so many. */
type ReadPage<T> = (after: string | undefined, limit: number | undefined) => Promise<T[]>;

/** One page of a list as SOL013 5 wants it: filtered, selected, with a `Link` to the next one. */
export async function listAnswer<T extends { id: string }>(
  request: Request,
  response: Response,
  publicUrl: PublicUrl,
  resource: ResourceTable,
  read: ReadPage<T>,
): Promise<object[]> {
  const query: ListQuery = parseListQuery(request.query, resource);
  const limit = query.allRecords ? undefined : PAGE_SIZE;
  const found: T[] = [];
  // Filtering comes after reading: pages are read on until one is full of what was asked for.
  for (let after = query.marker; ;) {
    const page = await read(after, limit);
    found.push(...page.filter((entry) => matches(query.filter, entry)));
    after = page.at(-1)?.id;
    if (limit === undefined || page.length < limit || found.length >= limit) break;
  }
  const shown = limit === undefined ? found : found.slice(0, limit);
  const last = shown.at(-1);
  if (limit !== undefined && shown.length === limit && last !== undefined)
    response.set('Link', publicUrl.nextPage(request, last.id));
  return shown.map((entry) => select(entry, query.selector, resource));
}

/** A JSON body. @throws RequestError 415 for another media type, 400 where there is none */
export function jsonBody(request: Request): unknown {
  const body: unknown = request.body;
  if (body !== undefined) return body;
  if (request.header('content-type') === undefined && (request.header('content-length') ?? '0') === '0') return {};
  throw new RequestError(415, 'request.media-type', 'send the body as application/json');
}
