import { STATUS_CODES } from 'node:http';
import type { Json, JsonObject } from '@windlass/foundation';
import { APIS, type ApiVersion, type ResourceTable } from '@windlass/sol003';
import type { Answer, AnswerHeader, QueryParameters, RequestBody, Route } from '../routes/route.js';
import type { Components } from './components.js';
import { tagOf } from './tags.js';

/** What the document says of one route. */
export function operationOf(route: Route, components: Components): JsonObject {
  const { summary, role, body, operation, aliases, pattern } = route;
  const also = aliases.length === 0 ? {} : { description: `Also at ${aliases.join(', ')}.` };
  return {
    operationId: operationIdOf(route),
    tags: [tagOf(route)],
    summary,
    ...also,
    ...(role === 'anyone' ? { security: [] } : {}),
    'x-windlass-role': role,
    ...(operation === undefined ? {} : { 'x-windlass-operation': operation }),
    parameters: [
      ...[...pattern.matchAll(/[:*](\w+)/g)].map(([, name = '']) => pathParameter(name)),
      ...versionParameter(route),
      ...queryParameters(route.query, components),
    ],
    ...(body === undefined ? {} : { requestBody: requestBodyOf(route.method, body, components) }),
    responses: { ...answersOf(route, components), ...refusalsOf(route) },
  };
}

/** `GET /vnflcm/v1/vnf_instances/:id` as `getVnflcmV1VnfInstancesId`. */
const operationIdOf = ({ method, pattern }: Route): string =>
  `${method.toLowerCase()}${pattern
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;

const pathParameter = (name: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', minLength: 1 },
});

const apiOf = ({ pattern }: Pick<Route, 'pattern'>): ApiVersion | undefined =>
  Object.values(APIS).find(({ uriPrefix }) => pattern.startsWith(`${uriPrefix}/`));

function versionParameter(route: Route): JsonObject[] {
  const api = apiOf(route);
  if (api === undefined) return [];
  const checked = !route.pattern.endsWith('/api_versions');
  return [
    {
      name: 'Version',
      in: 'header',
      description: checked ? `One of ${api.supported.join(', ')}; another one is 406.` : 'Any is taken.',
      required: checked && api.mandatory,
      schema: { type: 'string' },
    },
  ];
}

function queryParameters(query: QueryParameters | undefined, components: Components): JsonObject[] {
  if (query === undefined) return [];
  if (isList(query)) return components.listParameters(query);
  return Object.entries(query).map(([name, { meaning, schema }]) => ({ name, in: 'query', description: meaning, schema }));
}

const isList = (query: QueryParameters): query is ResourceTable => 'excludedByDefault' in query;

/** PATCH is a merge patch; clients that send it as plain JSON are understood too. */
function requestBodyOf(method: string, body: RequestBody, components: Components): JsonObject {
  if ('mediaTypes' in body) return { required: true, content: bytesOf(body.mediaTypes) };
  const schema = 'of' in body ? components.body(body.of) : body.schema;
  const types = method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json'];
  return { required: body.optional === undefined, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

/** Bytes have no schema in OpenAPI 3.1. */
const bytesOf = (mediaTypes: readonly string[]): JsonObject =>
  Object.fromEntries(mediaTypes.map((type): [string, Json] => [type, {}]));

function answersOf(route: Route, components: Components): JsonObject {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, answer]) => [
      status,
      {
        description: STATUS_CODES[status] ?? status,
        headers: headersOf([
          'X-Request-Id',
          ...(isEtsi(route) ? ['Version' as const] : []),
          ...(answer.headers ?? []),
          ...warningsOf(route),
        ]),
        ...contentOf(answer, components),
      },
    ]),
  );
}

/** What of a body that a class describes is not used is told. */
const warningsOf = ({ body }: Route): AnswerHeader[] => (body !== undefined && 'of' in body ? ['Windlass-Warning'] : []);

const isEtsi = ({ pattern }: Route): boolean => pattern.startsWith('/vnf');

const headersOf = (names: readonly (AnswerHeader | 'Version' | 'X-Request-Id')[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function contentOf({ type, schema, mediaTypes }: Answer, components: Components): JsonObject {
  if (mediaTypes !== undefined) return { content: bytesOf(mediaTypes) };
  const told = type === undefined ? schema : components.etsi(type);
  return told === undefined ? {} : { content: { 'application/json': { schema: told } } };
}

function refusalsOf(route: Route): JsonObject {
  const name = route.pattern.startsWith('/v1.0') ? 'LegacyProblem' : 'Problem';
  const problem: JsonObject = { $ref: `#/components/responses/${name}` };
  const statuses = new Set([...refusalStatuses(route), ...(route.refusals ?? [])].sort((one, other) => one - other));
  return {
    ...Object.fromEntries([...statuses].map((status) => [String(status), problem])),
    default: problem,
  };
}

/** What can be wrong with any request to such a route. */
function refusalStatuses(route: Route): number[] {
  const { body, role, pattern } = route;
  return [
    400, // an unknown query parameter, a broken percent-encoding, a malformed body
    ...(role === 'anyone' ? [] : [401, 403]),
    ...(/[:*]/.test(pattern) ? [404] : []),
    ...(apiOf(route) === undefined || pattern.endsWith('/api_versions') ? [] : [406]),
    ...(body === undefined ? [] : [413, 415]),
  ];
}
