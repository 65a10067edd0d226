import { STATUS_CODES } from 'node:http';
import {
  asWindlassError,
  InvariantError,
  RequestError,
  TransientError,
  type InvalidParam,
  type ProblemDetails,
  type WindlassError,
} from '@windlass/foundation';

/** The media type of every error but those of the legacy API. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** An error as an HTTP answer. */
export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ProblemDetails;
}

/** A resource is there but has no such method: 405, with the methods it has in `Allow` (SOL013 6.4). */
export class MethodNotAllowed extends RequestError {
  constructor(
    readonly method: string,
    readonly allow: readonly string[],
  ) {
    super(405, 'request.method-not-allowed', `${method} is not possible here; possible: ${allow.join(', ')}`);
  }
}

/** What a caller is told of an error of our own: its text may hold anything. */
const internalDetail = (error: WindlassError, requestId: string | undefined): string =>
  `An unexpected error occurred (${error.name}, ${error.code}); the service's log has it${requestId === undefined ? '' : ` under ${requestId}`}.`;

/** The phrase of an HTTP status: `Conflict`. */
export const httpPhrase = (status: number): string => STATUS_CODES[status] ?? 'Unknown Error';

/**
 * Any error as ProblemDetails (RFC 7807 as SOL013 6.3 profiles it), `title` being the HTTP phrase unless the error has one of
 * its own. It carries `code` and `invalidParams` beside the standard's members.
 */
export function problemDetailsOf(error: unknown, requestId?: string): ProblemDetails {
  const known = asWindlassError(error);
  const problem = known.problemDetails();
  const detail = known instanceof InvariantError ? internalDetail(known, requestId) : problem.detail;
  return {
    ...problem,
    title: problem.title ?? httpPhrase(problem.status),
    detail: cut(detail, MAX_DETAIL),
    ...(problem.invalidParams === undefined ? {} : { invalidParams: firstOf(problem.invalidParams) }),
  };
}

/** The longest detail, in characters. */
const MAX_DETAIL = 4_096;

/** All findings of an answer, in bytes of their JSON: an answer is never much larger than its question allows. */
const MAX_FINDINGS = 50 * 1_024;
/** The longest path and the longest reason, in characters. */
const MAX_FINDING = 1_024;

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** As many findings as an answer has room for; the last says how many others there are. */
function firstOf(findings: readonly InvalidParam[]): InvalidParam[] {
  const shown: InvalidParam[] = [];
  let left = MAX_FINDINGS;
  for (const finding of findings) {
    const told = { path: cut(finding.path, MAX_FINDING), reason: cut(finding.reason, MAX_FINDING) };
    left -= Buffer.byteLength(JSON.stringify(told));
    if (left < 0) return [...shown, { path: '', reason: `${findings.length - shown.length} more findings are not shown` }];
    shown.push(told);
  }
  return shown;
}

/**
 * Any error as an HTTP answer. A {@link TransientError} that knows when to come again says so in `Retry-After` (seconds).
 * @param requestId under which the caller can have the log searched
 */
export function problemAnswerOf(error: unknown, requestId?: string): ProblemAnswer {
  const body = problemDetailsOf(error, requestId);
  const headers: Record<string, string> = { 'Content-Type': PROBLEM_MEDIA_TYPE };
  if (error instanceof TransientError && error.retryAfter !== undefined) {
    headers['Retry-After'] = String(Math.max(1, Math.ceil(error.retryAfter / 1_000)));
  }
  if (error instanceof MethodNotAllowed) headers.Allow = error.allow.join(', ');
  return { status: body.status, headers, body };
}

/** An error as the legacy `/v1.0` API tells it, which the command line's `vim` commands read. */
export function tackerErrorOf(
  error: unknown,
  requestId?: string,
): { TackerError: { type: string; message: string; detail: string } } {
  const { title, detail, code } = problemDetailsOf(error, requestId);
  return { TackerError: { type: code ?? title ?? 'Error', message: detail, detail: '' } };
}
