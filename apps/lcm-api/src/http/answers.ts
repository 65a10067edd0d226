import { RequestError } from '@windlass/foundation';
import {
  matches,
  needsComplexAttributes,
  PAGE_SIZE,
  parseListQuery,
  select,
  type Filter,
  type ListQuery,
  type ResourceTable,
} from '@windlass/sol003';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import type { PublicUrl } from '../links/public-url.js';
import { sendStream } from './send-stream.js';

/** What has to be read of the entries of a list. */
export interface EntriesWanted {
  /** Entries that can't match it need not be read; others may be. */
  filter: Filter;
  /** False: nothing of what lists leave out by default is needed. */
  whole: boolean;
}

/** Entries after a marker, in the order of ids, at most so many: fewer only where there are no more. */
type ReadPage<T> = (after: string | undefined, limit: number, wanted: EntriesWanted) => Promise<T[]>;

/**
 * Answers one page of a list as SOL013 5 wants it: filtered, selected, with a `Link` to the next one. A list that is asked for whole is read and sent
 * page after page, so that no more of it is in memory.
 */
export async function answerList<T extends { id: string }>(
  request: Request,
  response: Response,
  publicUrl: PublicUrl,
  resource: ResourceTable,
  read: ReadPage<T>,
): Promise<void> {
  const query = parseListQuery(request.query, resource);
  const pages = matching(query, read, { filter: query.filter, whole: needsComplexAttributes(query, resource) });
  const show = (entry: T): object => select(entry, query.selector, resource);
  if (query.allRecords) {
    response.type('json');
    await sendStream(Readable.from(asJson(await begun(pages), show)), response);
    return;
  }
  const found: T[] = [];
  // A page may hold fewer matches than entries, because PostgreSQL does not filter everything: pages are read until there are enough matches.
  for await (const page of pages) {
    found.push(...page);
    if (found.length >= PAGE_SIZE) break;
  }
  const shown = found.slice(0, PAGE_SIZE);
  const last = shown.at(-1);
  if (shown.length === PAGE_SIZE && last !== undefined) response.set('Link', publicUrl.nextPage(request, last.id));
  response.json(shown.map(show));
}

/** The entries that match, by the pages in which they are read. */
async function* matching<T extends { id: string }>(
  { filter, marker }: ListQuery,
  read: ReadPage<T>,
  wanted: EntriesWanted,
): AsyncGenerator<T[]> {
  for (let after = marker; ;) {
    const page = await read(after, PAGE_SIZE, wanted);
    yield page.filter((entry) => matches(filter, entry));
    after = page.at(-1)?.id;
    if (page.length < PAGE_SIZE) return;
  }
}

/** Reads the first page at once, so that a failure of that is answered as usual. */
async function begun<T>(pages: AsyncGenerator<T[]>): Promise<AsyncGenerator<T[]>> {
  const first = await pages.next();
  return (async function* () {
    if (first.done !== true) yield first.value;
    yield* pages;
  })();
}

/** One JSON array, a text for each page. */
async function* asJson<T>(pages: AsyncGenerator<T[]>, show: (entry: T) => object): AsyncGenerator<string> {
  let before = '[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + page.map((entry) => JSON.stringify(show(entry))).join(',');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** Answers with JSON that is text already. */
export const sendJson = (response: Response, text: Buffer): void =>
  void response.set('Content-Type', 'application/json; charset=utf-8').send(text);

/** A JSON body. @throws RequestError 415 for another media type, 400 where there is none */
export function jsonBody(request: Request): unknown {
  const body: unknown = request.body;
  if (body !== undefined) return body;
  if (request.header('content-type') === undefined && (request.header('content-length') ?? '0') === '0') return {};
  throw new RequestError(415, 'request.media-type', 'send the body as application/json');
}
