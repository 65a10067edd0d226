import { RequestError, isUuid } from '@windlass/foundation';
import { parseFilter, type Filter } from './filter.js';
import { MARKER_PARAMETER } from './paging.js';
import type { ResourceTable } from './resources.js';
import { parseSelector, type Selector } from './selector.js';

/** What a GET on a list asks for. */
export interface ListQuery {
  readonly filter: Filter;
  readonly selector: Selector;
  /** The id after which the page begins; undefined for the first page. */
  readonly marker: string | undefined;
  /** True where `all_records=yes` asks for everything in one answer. */
  readonly allRecords: boolean;
}

/** Query parameters as an HTTP server hands them over: a text each, a list where one came twice. */
export type QueryParameters = Readonly<Record<string, unknown>>;

const refuse = (path: string, reason: string): RequestError =>
  new RequestError(400, 'query.invalid-parameter', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });

/** SOL013's parameters, and the hyphenated one that the `openstack` command line sends. */
const LIST_PARAMETERS = [
  'filter',
  'all_fields',
  'fields',
  'exclude_fields',
  'exclude-fields',
  'exclude_default',
  MARKER_PARAMETER,
  'all_records',
] as const;
type ListParameter = (typeof LIST_PARAMETERS)[number];

function textsOf<N extends string>(query: QueryParameters, names: readonly N[]): Partial<Record<N, string>> {
  const texts: Partial<Record<N, string>> = {};
  for (const [key, value] of Object.entries(query)) {
    const name = names.find((one) => one === key);
    const known = names.length === 0 ? 'none' : names.join(', ');
    if (name === undefined) throw refuse(key.slice(0, 64), `this parameter is not known here; known are: ${known}`);
    if (typeof value !== 'string') throw refuse(name, 'expected the parameter once, as text');
    texts[name] = value;
  }
  return texts;
}

/**
 * Reads all query parameters of a list.
 * @throws RequestError 400 for an unknown parameter, one given twice, and whatever filter and selector refuse.
 */
export function parseListQuery(query: QueryParameters, resource: ResourceTable): ListQuery {
  const texts: Partial<Record<ListParameter, string>> = textsOf(query, LIST_PARAMETERS);
  if (texts.exclude_fields !== undefined && texts['exclude-fields'] !== undefined) {
    throw refuse('exclude-fields', 'expected only one of exclude_fields, exclude-fields');
  }
  const selector = parseSelector({ ...texts, exclude_fields: texts.exclude_fields ?? texts['exclude-fields'] }, resource);
  const marker = texts[MARKER_PARAMETER];
  // The last entry's id, which no list has otherwise than as a UUID.
  if (marker !== undefined && !isUuid(marker)) throw refuse(MARKER_PARAMETER, 'expected the marker of a Link header');
  const all = texts.all_records;
  if (all !== undefined && all !== 'yes' && all !== 'no') throw refuse('all_records', 'expected yes or no');
  const filter = texts.filter === undefined ? [] : parseFilter(texts.filter, resource);
  return { filter, selector, marker, allRecords: all === 'yes' };
}

/**
 * For everything that is no list of the standard's: what is not named means nothing there.
 * @throws RequestError 400 naming the first that is not among `known`, or that came twice
 */
export function refuseQuery(query: QueryParameters, known: readonly string[] = []): void {
  textsOf(query, known);
}
