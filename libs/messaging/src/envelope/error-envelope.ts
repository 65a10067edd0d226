import {
  InvariantError,
  millis,
  RequestError,
  shape,
  TerminalError,
  TransientError,
  WindlassError,
  type TypeOf,
} from '@windlass/foundation';
import { dataRule, message } from '../contracts/contract.js';

const kind = shape.oneOf(['request', 'transient', 'terminal', 'invariant']);

/** Which order an error gives to who receives it ("Errors are orders", CONTRIBUTING.md). */
export type ErrorKind = TypeOf<typeof kind>;

export const ERROR_TYPE = 'error';

export const errorSchema = message(
  shape.titled(
    'Data of an error reply',
    shape.object({
      /** Stable and dotted: `stack.create-failed`. */
      code: shape.text({ minLength: 1 }),
      kind,
      /** For people. Holds no secret. */
      detail: shape.text(),
      title: shape.optional(shape.text()),
      /** The HTTP status this error has when it reaches a REST client. */
      status: shape.integer({ minimum: 400, maximum: 599 }),
      /** When to try again, milliseconds; of transient errors only. */
      retryAfter: shape.optional(shape.number({ minimum: 0 })),
      invalidParams: shape.optional(shape.list({ items: shape.object({ path: shape.text(), reason: shape.text() }) })),
    }),
  ),
);

/** A refused or failed request, as the data of an envelope of type `error`. */
export type ErrorData = TypeOf<typeof errorSchema>;

export const errorRule = dataRule(errorSchema);

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
