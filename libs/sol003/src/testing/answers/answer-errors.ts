import { isJsonObject } from '@windlass/foundation';
import { schemaErrors } from '../../schemas/schema-errors.js';
import { APIS } from '../../versions/api-versions.js';
import { expectedAnswers, type ExpectedAnswer } from './answer-rules.js';

/** An answer of the REST API on the wire. */
export interface SentAnswer {
  readonly method: string;
  /** The requested path with its query. */
  readonly url: string;
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The whole body where its media type is JSON, or it has none; else ''. */
  readonly body: string;
}

/** The paths that SOL003 does not have, whose JSON has no schema of ETSI's. */
const OF_OUR_OWN = ['/windlass/v1/', '/vnflcm/v2/', '/openapi.json', '/docs'];
const LEGACY = '/v1.0';
const VERSIONED = [APIS.vnflcmV1, APIS.vnfpkgmV1];

/** Whether a path is the REST API's: a test's process may have other servers. */
export const isOfTheApi = (path: string): boolean =>
  ['/vnflcm/', '/vnfpkgm/', '/v1.0/vims', '/windlass/v1/'].some((prefix) => path.startsWith(prefix));

/** The path of a request's URL in the rules' form: a resource of the legacy API may end in `.json`. */
export function pathOf(url: string): string {
  const [whole = ''] = url.replace(/^https?:\/\/[^/]+/, '').split('?', 1);
  const path = whole.replace(/(?<=.)\/$/, '');
  return path.startsWith(LEGACY) ? path.replace(/\.json$/, '') : path;
}

/**
 * The errors of an answer by SOL003, SOL005 and SOL013: status, media type, `Version`, headers and ETSI's schema of the body, by method
 * and path, a sentence each. An answer without a rule is an error, too.
 */
export function answerErrors(answer: SentAnswer): string[] {
  const path = pathOf(answer.url);
  return [...versionErrors(path, answer), ...(answer.status >= 400 ? problemErrors(path, answer) : successErrors(path, answer))];
}

function versionErrors(path: string, { headers }: SentAnswer): string[] {
  const api = VERSIONED.find(({ uriPrefix }) => path.startsWith(`${uriPrefix}/`));
  if (api === undefined || headers.version === api.version) return [];
  return [`Version: expected ${api.version}, got ${String(headers.version)}`];
}

const mediaTypeOf = ({ headers }: SentAnswer): string => {
  const type = headers['content-type'];
  return typeof type === 'string' ? (type.split(';')[0] ?? '').trim().toLowerCase() : '';
};

const hasJson = (answer: SentAnswer): boolean => ['application/json', 'application/problem+json'].includes(mediaTypeOf(answer));

function problemErrors(path: string, answer: SentAnswer): string[] {
  const { status, method, headers } = answer;
  const errors = status === 405 && headers.allow === undefined ? ['405 without Allow'] : [];
  if (method === 'HEAD') return errors;
  if (path.startsWith(LEGACY)) return [...errors, ...legacyErrors(answer)];
  const type = mediaTypeOf(answer);
  if (type !== 'application/problem+json') return [...errors, `an error as "${type}": expected application/problem+json`];
  const body = jsonOf(answer);
  const stated = isJsonObject(body) ? body.status : undefined;
  return [
    ...errors,
    ...schemaErrors('ProblemDetails', body).map((error) => `ProblemDetails: ${error}`),
    ...(stated === status ? [] : [`/status is ${String(stated)} in an answer of status ${status}`]),
  ];
}

function legacyErrors(answer: SentAnswer): string[] {
  const body = jsonOf(answer);
  const error = isJsonObject(body) ? body.TackerError : undefined;
  const told = isJsonObject(error) && ['type', 'message', 'detail'].every((name) => typeof error[name] === 'string');
  return told && mediaTypeOf(answer) === 'application/json'
    ? []
    : ['expected {"TackerError": {"type", "message", "detail"}} as application/json'];
}

function successErrors(path: string, answer: SentAnswer): string[] {
  const { method, status } = answer;
  if (OF_OUR_OWN.some((prefix) => path.startsWith(prefix))) return ownErrors(answer);
  const expected = expectedAnswers(method, path);
  if (expected === undefined) return ['no rule of libs/sol003/src/testing/answers/answer-rules.ts is about this resource'];
  const rule = expected.find((each) => each.status === status);
  if (rule === undefined) return [`expected status ${expected.map((each) => each.status).join(' or ')}`];
  const missing = (rule.headers ?? []).filter((name) => answer.headers[name] === undefined);
  return [...missing.map((name) => `no ${name} header`), ...bodyErrors(rule, answer)];
}

function ownErrors(answer: SentAnswer): string[] {
  if (!hasJson(answer)) return [];
  return jsonOf(answer) === undefined ? ['the body is no JSON'] : [];
}

function bodyErrors({ body: wanted }: ExpectedAnswer, answer: SentAnswer): string[] {
  const type = mediaTypeOf(answer);
  if (wanted === 'nothing') return answer.body === '' ? [] : [`expected no body, got ${answer.body.slice(0, 200)}`];
  if (wanted === 'bytes') return type === '' ? ['a file without a media type'] : [];
  if (type !== 'application/json') return [`expected application/json, got "${type}"`];
  const body = jsonOf(answer);
  if (body === undefined) return ['the body is no JSON'];
  if (wanted === 'vim' || wanted === 'vims')
    return isJsonObject(body) && typeof body[wanted] === 'object' ? [] : [`expected {"${wanted}": ...}`];
  return schemaErrors(wanted, body).map((error) => `${wanted}: ${error}`);
}

/** The JSON of a body; undefined where the body is none. */
function jsonOf({ body }: SentAnswer): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
