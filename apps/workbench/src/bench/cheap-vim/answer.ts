import type { Json, JsonObject } from '@windlass/foundation';

/** A request as the cheap VIM reads it. */
export interface Asked {
  method: string;
  /** Of the path, decoded, without the service. */
  words: readonly string[];
  query: URLSearchParams;
  body: Buffer;
}

export interface Answer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  json?: Json;
}

/** What the cheap VIM does not know, or refuses as an OpenStack would: the status and why. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Heat's word for it. */
    readonly type?: string,
  ) {
    super(message);
  }
}

/** The status of what the cheap VIM was not made for. */
export const NOT_KNOWN = 501;

/** Nothing is answered that was not thought of: whoever asks fails, and with it the bench. */
export const unknown = (what: string): Refusal =>
  new Refusal(NOT_KNOWN, `the cheap VIM does not know ${what}: it stands in for an OpenStack for speed alone (docs/bench.md)`);

export const notFound = (what: string): Refusal => new Refusal(404, `there is no ${what}`);

export const ok = (json: JsonObject): Answer => ({ status: 200, json });

/** @throws Refusal 400 where it is no JSON object */
export function jsonOf({ body }: Asked): JsonObject {
  try {
    const value = JSON.parse(body.toString('utf8')) as Json;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // said below
  }
  throw new Refusal(400, 'expected a JSON object');
}

/** @throws Refusal where something is asked for by a parameter that is not among these: passing it over would answer another question */
export function onlyKnown({ query, words }: Asked, names: readonly string[]): void {
  for (const name of query.keys()) if (!names.includes(name)) throw unknown(`the parameter ${name} of ${words.join('/')}`);
}

/** A page of what is listed: `limit` from behind `marker` on. */
export function pageOf<T extends { id: string }>(all: readonly T[], { query }: Asked): T[] {
  const marker = query.get('marker');
  const from = marker === null ? 0 : all.findIndex(({ id }) => id === marker) + 1;
  if (marker !== null && from === 0) throw new Refusal(400, `there is no marker ${marker}`);
  return all.slice(from, from + Number(query.get('limit') ?? Number.POSITIVE_INFINITY));
}
