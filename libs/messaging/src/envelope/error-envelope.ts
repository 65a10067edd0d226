import {
  InvariantError,
  millis,
  RequestError,
  TerminalError,
  TransientError,
  WindlassError,
  type InvalidParam,
} from '@windlass/foundation';
import { dataRule } from '../contracts/contract.js';

/** Which order an error gives to who receives it ("Errors are orders", CONTRIBUTING.md). */
export type ErrorKind = 'request' | 'transient' | 'terminal' | 'invariant';

/** A refused or failed request, as the data of an envelope of type `error`. */
export interface ErrorData {
  /** Stable and dotted: `stack.create-failed`. */
  code: string;
  kind: ErrorKind;
  /** For people. Holds no secret. */
  detail: string;
  title?: string;
  /** The HTTP status this error has when it reaches a REST client. */
  status: number;
  /** When to try again, milliseconds; of transient errors only. */
  retryAfter?: number;
  invalidParams?: InvalidParam[];
}

export const ERROR_TYPE = 'error';

export const errorSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Data of an error reply',
  type: 'object',
  required: ['code', 'kind', 'detail', 'status'],
  properties: {
    code: { type: 'string', minLength: 1 },
    kind: { enum: ['request', 'transient', 'terminal', 'invariant'] },
    detail: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    retryAfter: { type: 'number', minimum: 0 },
    invalidParams: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'reason'],
        properties: { path: { type: 'string' }, reason: { type: 'string' } },
      },
    },
  },
} as const;

export const errorRule = dataRule<ErrorData>(errorSchema);

function kindOf(error: WindlassError): ErrorKind {
  if (error instanceof RequestError) return 'request';
  if (error instanceof TransientError) return 'transient';
  if (error instanceof InvariantError) return 'invariant';
  return 'terminal';
}

/** What goes on the message bus of an error. What we do not recognise says no more than that: its text may hold anything. */
export function errorData(error: unknown): ErrorData {
  if (!(error instanceof WindlassError)) {
    return {
      code: 'internal.invariant',
      kind: 'invariant',
      detail: 'unexpected error; the log of the answering service has it',
      status: 500,
    };
  }
  return {
    code: error.code,
    kind: kindOf(error),
    detail: error.message,
    status: error.status,
    ...(error.title === undefined ? {} : { title: error.title }),
    ...(error instanceof TransientError && error.retryAfter !== undefined ? { retryAfter: error.retryAfter } : {}),
    ...(error.invalidParams === undefined ? {} : { invalidParams: error.invalidParams }),
  };
}

type RequestStatus = ConstructorParameters<typeof RequestError>[0];
const REQUEST_STATUSES: readonly number[] = [400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 416, 422, 429, 503];
const isRequestStatus = (status: number): status is RequestStatus => REQUEST_STATUSES.includes(status);

/** An error of the other side's own bug: here it is no bug of ours, so it keeps its code and text. */
class RemoteInvariantError extends InvariantError {
  override readonly code: string;
  constructor(code: string, detail: string, status: number) {
    super(detail, { status });
    this.code = code;
  }
}

/** The same error on this side of the message bus, to be thrown: of the subclass it had there. */
export function errorFrom(data: ErrorData): WindlassError {
  const details = {
    status: data.status,
    ...(data.title === undefined ? {} : { title: data.title }),
    ...(data.invalidParams === undefined ? {} : { invalidParams: data.invalidParams }),
  };
  const { status, ...withoutStatus } = details;
  switch (data.kind) {
    case 'request':
      return new RequestError(isRequestStatus(status) ? status : 400, data.code, data.detail, withoutStatus);
    case 'transient': {
      const retryAfter = data.retryAfter === undefined ? {} : { retryAfter: millis(data.retryAfter) };
      return new TransientError(data.code, data.detail, { ...details, ...retryAfter });
    }
    case 'terminal':
      return new TerminalError(data.code, data.detail, details);
    case 'invariant':
      return new RemoteInvariantError(data.code, data.detail, status);
  }
}
