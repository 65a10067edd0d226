import { InvariantError } from '@windlass/foundation';

/**
 * A path of a URL whose values are percent-encoded, so that a name with a slash stays one segment.
 * @throws InvariantError when a value is empty or a dot segment, which a URL parser would fold away.
 */
export function urlPath(texts: TemplateStringsArray, ...values: (string | { readonly path: string })[]): string {
  return texts.reduce((path, text, index) => {
    const value = values[index - 1];
    if (value === undefined) return path + text;
    return path + (typeof value === 'string' ? segment(value) : value.path) + text;
  });
}

function segment(value: string): string {
  if (value === '' || value === '.' || value === '..') {
    throw new InvariantError(`"${value}" can't be a segment of a URL's path`);
  }
  return encodeURIComponent(value);
}

/** Query values: a list repeats the name, undefined leaves it out. */
export type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

/** `?a=1&b=2`, or nothing. */
export function queryText(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (typeof value === 'object') value.forEach((entry) => search.append(name, entry));
    else search.append(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
