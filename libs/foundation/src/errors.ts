import type { Duration } from './duration.js';
import type { InvalidParam, ProblemDetails } from './problem-details.js';

/** What a person does first about an error, and how the operation goes on after that. */
export interface Remedy {
  /** In sentences, or in numbered steps of a line each (`1. ...`), with which the error's message ends. */
  says: string;
  /** What leads on: the failed steps again, or everything undone, to ask anew with what was wrong mended. */
  leadsOn: 'retry' | 'rollback';
  /** When that leads on, where it does not always: `When the fingerprint is the same as "got"`. */
  when?: string;
}

export interface ErrorDetails {
  /** HTTP status of the answer when this error reaches a REST client. */
  status?: number;
  title?: string;
  cause?: unknown;
  /** Where the input is wrong. */
  invalidParams?: InvalidParam[];
  /** Where one is known: {@link Remedy.says} ends the message. */
  remedy?: Remedy;
}

/** Any error that Windlass knows: a stable dotted code, and a message that names the thing, the value, what was expected and what to do. */
export class WindlassError extends Error {
  readonly status: number;
  readonly title: string | undefined;
  readonly invalidParams: InvalidParam[] | undefined;
  readonly remedy: Remedy | undefined;

  constructor(
    readonly code: string,
    detail: string,
    details: ErrorDetails = {},
  ) {
    super(detail, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.status = details.status ?? 500;
    this.title = details.title;
    this.invalidParams = details.invalidParams;
    this.remedy = details.remedy;
  }

  problemDetails(): ProblemDetails {
    return {
      ...(this.title === undefined ? {} : { title: this.title }),
      status: this.status,
      detail: this.message,
      code: this.code,
      ...(this.invalidParams === undefined ? {} : { invalidParams: this.invalidParams }),
    };
  }
}

/** The request is at fault (4xx). Never journaled. */
export class RequestError extends WindlassError {
  constructor(
    status: 400 | 401 | 403 | 404 | 405 | 406 | 408 | 409 | 412 | 413 | 415 | 416 | 422 | 429 | 503,
    code: string,
    detail: string,
    details: Omit<ErrorDetails, 'status'> = {},
  ) {
    super(code, detail, { ...details, status });
  }
}

/** It may work later: unreachable, busy, rate limited. The step's retry policy decides how often. */
export class TransientError extends WindlassError {
  readonly retryAfter: Duration | undefined;
  constructor(code: string, detail: string, details: ErrorDetails & { retryAfter?: Duration } = {}) {
    super(code, detail, { status: 503, ...details });
    this.retryAfter = details.retryAfter;
  }
}

/** It will not work by itself: the VIM refused, the script failed. The operation goes to FAILED_TEMP. */
export class TerminalError extends WindlassError {}

/** Our own bug. FAILED_TEMP, loud, never retried. */
export class InvariantError extends WindlassError {
  constructor(detail: string, details: ErrorDetails = {}) {
    super('internal.invariant', detail, details);
  }
}

/** What nobody recognised becomes an {@link InvariantError}; a WindlassError stays itself. */
export function asWindlassError(error: unknown): WindlassError {
  if (error instanceof WindlassError) return error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new InvariantError(`unexpected error: ${text}`, { cause: error });
}
