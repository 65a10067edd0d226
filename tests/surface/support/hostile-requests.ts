import { gzipSync } from 'node:zlib';
import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import fc from 'fast-check';
import type { RawRequest } from './raw-request.js';

/** A route of the OpenAPI document. */
export interface DocumentedRoute {
  method: string;
  /** `/vnflcm/v1/vnf_instances/{id}` */
  path: string;
  operation: JsonObject;
}

/** The methods of all paths of a document. */
export const routesIn = (document: JsonObject): DocumentedRoute[] =>
  Object.entries(document.paths as Record<string, Record<string, JsonObject>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

const NASTY_TEXTS = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202e\u0000',
  '💥',
  'é'.normalize('NFD'),
  "';DROP TABLE lcm.vnf_instance;--",
  '../../../../etc/passwd',
  '..%2f..%2f',
  '%00',
  '%',
  '%E0%A4%A',
  '%ff%fe',
  '${jndi:ldap://x}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '$(reboot)',
  '`id`',
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  '-1',
  '1e999',
  'null',
  'true',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  'http://[::1]:0/',
  'http://a@b:c@d/',
  'x'.repeat(256),
  'x'.repeat(70_000),
];

const nasty = fc.oneof(
  fc.constantFrom(...NASTY_TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 20 }),
);

/** Odd JSON by no schema: odd numbers, odd names, deep and wide values. */
const oddJson: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, -0, -1, 1e308, 2 ** 53, 0.1, [], {}, [[]], [null], { '': '' }),
  nasty,
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
  fc.integer({ min: 50, max: 1_000 }).map((depth) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as Json),
  fc.integer({ min: 1_000, max: 60_000 }).map((length): Json => new Array<Json>(length).fill(1)),
  nasty.map((name): Json => Object.fromEntries([[name, { [name]: name }]])),
);

const pick = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, weight = 9): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** Values that mostly follow a schema of the document, to pass the first check, and are odd somewhere. */
export function valuesOf(schema: JsonObject, document: JsonObject, known: readonly string[], depth = 0): fc.Arbitrary<Json> {
  const of = (inner: Json | undefined): fc.Arbitrary<Json> =>
    depth > 6 || !isJsonObject(inner) ? fc.constant<Json>({}) : valuesOf(inner, document, known, depth + 1);
  if (typeof schema.$ref === 'string') return of(referred(document, schema.$ref));
  const choices = (schema.anyOf ?? schema.oneOf) as JsonObject[] | undefined;
  if (choices !== undefined && schema.type === undefined) return fc.oneof(...choices.map(of));
  return pick(plainOf(schema, of, known), oddJson);
}

function plainOf(
  { type, enum: words, format, properties, required, items, additionalProperties, maxLength }: JsonObject,
  of: (schema: Json | undefined) => fc.Arbitrary<Json>,
  known: readonly string[],
): fc.Arbitrary<Json> {
  if (Array.isArray(words)) return fc.constantFrom(...words);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom<Json>(-1, '1', 2 ** 31, 2 ** 53));
  if (type === 'array') return fc.array(of(items), { maxLength: 3 });
  if (type === 'object') return objectsOf(properties, required, additionalProperties, of);
  if (format === 'uri') return fc.constantFrom<Json>('http://127.0.0.1:1/x', 'https://u:p@nowhere.invalid/', 'http://[::1]/');
  if (format === 'date-time') return fc.constantFrom<Json>('2026-01-01T00:00:00Z', '2026-13-45T99:99:99Z');
  const most = typeof maxLength === 'number' ? maxLength : 20;
  return fc.oneof(fc.constantFrom<Json>(...known), fc.uuid(), fc.string({ maxLength: Math.min(20, most) }), nasty);
}

function objectsOf(
  properties: Json | undefined,
  required: Json | undefined,
  additionalProperties: Json | undefined,
  of: (schema: Json | undefined) => fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  const named = isJsonObject(properties) ? properties : {};
  const needed = (Array.isArray(required) ? required : []).map(String);
  const members = Object.fromEntries([
    ...needed.filter((name) => !(name in named)).map((name): [string, fc.Arbitrary<Json>] => [name, oddJson]),
    ...Object.entries(named).map(([name, schema]): [string, fc.Arbitrary<Json>] => [name, of(schema)]),
  ]);
  const mostly = pick(fc.record(members, { requiredKeys: needed }), fc.record(members, { requiredKeys: [] }), 15);
  const free = isJsonObject(additionalProperties) ? of(additionalProperties) : oddJson;
  const more = pick(fc.constant({}), fc.dictionary(nasty, free, { maxKeys: 2 }), 4);
  return fc.tuple(mostly, more).map(([body, others]): Json => ({ ...body, ...others }) as JsonObject);
}

const referred = (document: JsonObject, pointer: string): Json | undefined =>
  pointer
    .split('/')
    .slice(1)
    .reduce<Json | undefined>((here, name) => (isJsonObject(here) ? here[name] : undefined), document);

/** The bytes of a body: mostly whole JSON, else cut, in another encoding, or no JSON. */
const bytesOf = (value: fc.Arbitrary<Json>): fc.Arbitrary<Buffer> =>
  fc.oneof(
    { weight: 12, arbitrary: value.map((json) => Buffer.from(JSON.stringify(json))) },
    { weight: 1, arbitrary: value.map((json) => Buffer.from(JSON.stringify(json)).subarray(0, -1)) },
    { weight: 1, arbitrary: value.map((json) => Buffer.from(`\ufeff${JSON.stringify(json)}`)) },
    { weight: 1, arbitrary: value.map((json) => Buffer.from(JSON.stringify(json), 'utf16le')) },
    { weight: 1, arbitrary: value.map((json) => gzipSync(JSON.stringify(json))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('', ' ', '[]', 'null', '"x"', '1', '{', '{"a":1,"a":2}', 'PK\x03\x04')
        .map((text) => Buffer.from(text)),
    },
    { weight: 1, arbitrary: fc.constant(Buffer.alloc(1_200_000, '[')) },
  );

const MEDIA_TYPES = [
  'application/json',
  'application/merge-patch+json',
  'application/zip',
  'text/plain',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/xml',
  'multipart/form-data; boundary=x',
  'nonsense',
  '',
];

function headersOf(hasBody: boolean): fc.Arbitrary<Record<string, string>> {
  const latin = nasty.map((text) => Buffer.from(text.slice(0, 300)).toString('latin1'));
  const token = pick(fc.constant('test-token'), latin, 60);
  const optional = fc.record(
    {
      Version: fc.constantFrom('1.3.0', '2.0.0', 'x', '1.3.0-impl:x:y'),
      Accept: fc.constantFrom('application/json', 'text/plain', 'application/zip', '*/*', 'nonsense', ''),
      Range: fc.constantFrom(
        'bytes=0-1',
        'bytes=5-',
        'bytes=-3',
        'bytes=9-2',
        'bytes=0-1,3-4',
        'lines=1',
        'bytes=99999999999999999999-',
      ),
      'If-Match': latin,
      'Last-Event-ID': latin,
      'Content-Encoding': fc.constantFrom('gzip', 'br', 'deflate', 'nonsense'),
    },
    { requiredKeys: [] },
  );
  const type = pick(fc.constant('application/json'), fc.constantFrom(...MEDIA_TYPES), 6);
  return fc.tuple(token, pick(fc.constant({}), optional, 2), type).map(([value, others, mediaType]) => ({
    'X-Auth-Token': value,
    ...(hasBody && mediaType !== '' ? { 'Content-Type': mediaType } : {}),
    ...others,
  }));
}

/** A text percent-encoded as by a client, or only as far as the request line needs. */
const encoded = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'));

const segments = (known: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: nasty.map(encoded).filter((text) => text !== '') },
    { weight: 1, arbitrary: fc.constantFrom('%zz', '%E0%A4%A', '%00', '%2e%2e', '..', '.', '%2f', ';x=1', '~', '%F0%9F%92%A5') },
  );

/** Paths of a route with a value for each parameter, sometimes with a trick. */
function targetsOf({ path, operation }: DocumentedRoute, document: JsonObject, known: readonly string[]): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{\w+\}/g)].map(([name]) => name);
  const filled = fc
    .tuple(...names.map(() => segments(known)))
    .map((values) => names.reduce((text, name, index) => text.replace(name, () => values[index] ?? 'x'), path));
  const tricked = fc
    .tuple(filled, fc.constantFrom('/', '//', '/.', '/%2e%2e/', '.json', '%00', ';', '%20', '/x', '\\'))
    .map(([text, trick]) => text + trick);
  const absolute = filled.map((text) => `http://elsewhere.invalid${text}`);
  const inQuery = (Array.isArray(operation.parameters) ? operation.parameters : [])
    .filter(isJsonObject)
    .map((parameter) => (typeof parameter.$ref === 'string' ? referred(document, parameter.$ref) : parameter))
    .flatMap((parameter) => (isJsonObject(parameter) && parameter.in === 'query' ? [String(parameter.name)] : []));
  const filters = fc.constantFrom(
    '(eq,id,x)',
    '(eq,id',
    '(in,,)',
    "(cont,vnfdId,')",
    '(gt,id,%00)',
    '(eq,a/b/c/d,1);(neq,',
    '(eq,@x,1)',
  );
  const parameter = fc
    .tuple(
      inQuery.length === 0 ? nasty.map(encoded) : pick(fc.constantFrom(...inQuery), nasty.map(encoded)),
      fc.oneof(nasty.map(encoded), filters, fc.constantFrom(...known), fc.constantFrom('%', '%zz', '%FF', '', 'id', 'yes')),
    )
    .map(([name, value]) => `${name}=${value.slice(0, 4_000)}`);
  const query = fc.array(parameter, { minLength: 1, maxLength: 3 }).map((all) => `?${all.join('&')}`);
  const anyPath = fc.oneof(
    { weight: 20, arbitrary: filled },
    { weight: 1, arbitrary: tricked },
    { weight: 1, arbitrary: absolute },
  );
  return fc
    .tuple(anyPath, inQuery.length > 0 ? pick(query, fc.constant(''), 3) : pick(fc.constant(''), query, 6))
    .map((parts) => parts.join(''));
}

/**
 * Odd requests to one route.
 * @param known ids of existing things, so that requests can change something
 */
export function requestsTo(route: DocumentedRoute, document: JsonObject, known: readonly string[]): fc.Arbitrary<RawRequest> {
  const content = isJsonObject(route.operation.requestBody) ? route.operation.requestBody.content : undefined;
  const [media] = isJsonObject(content) ? Object.values(content) : [];
  const schema = isJsonObject(media) && isJsonObject(media.schema) ? media.schema : {};
  const hasBody = content !== undefined;
  const body = bytesOf(valuesOf(schema, document, known));
  return fc
    .record({
      target: targetsOf(route, document, known),
      headers: headersOf(hasBody),
      body: hasBody ? body : pick(fc.constant(Buffer.alloc(0)), body, 12),
      cut: pick(fc.constant<number | undefined>(undefined), fc.integer({ min: 0, max: 40 }), 20),
    })
    .map(({ target, headers, body: bytes, cut }) => ({
      method: route.method,
      target: target.slice(0, 12_000),
      headers,
      body: bytes,
      ...(cut === undefined || bytes.length <= cut ? {} : { cutAfter: cut }),
    }));
}
