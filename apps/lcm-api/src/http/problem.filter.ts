import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { InvariantError, maskSecrets, RequestError, SecretPlaces, WindlassError } from '@windlass/foundation';
import { hiddenTexts, problemAnswerOf, tackerErrorOf } from '@windlass/sol003';
import type { Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { remoteAddressOf, requestIdOf } from '../trail/request-trail.js';

export interface ErrorLog {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Answers every error as ProblemDetails, and below `/v1.0` in the form of the legacy API. Errors of our own are logged under the request's id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: ErrorLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerProblem(error, http.getRequest<Request>(), http.getResponse<Response>(), this.log);
  }
}

/** Answers an error. One that comes when the answer has begun ends the connection, so that a half answer is not taken for a whole one. */
export function answerProblem(error: unknown, request: Request, response: Response, log: ErrorLog): void {
  const known = knownError(error);
  const id = requestIdOf(request) ?? randomUUID();
  if (known instanceof WindlassError) response.locals.problemCode = known.code;
  if (!(known instanceof WindlassError) || known instanceof InvariantError) {
    log.error('a request failed unexpectedly', {
      requestId: id,
      remoteAddress: remoteAddressOf(request),
      method: request.method,
      path: request.path,
      error: withoutParams(known, request),
    });
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const answer = problemAnswerOf(known, id);
  response.status(answer.status).set(answer.headers);
  if (request.path.startsWith('/v1.0')) response.type('application/json').send(tackerErrorOf(known, id));
  else response.send(JSON.stringify(answer.body));
}

/**
 * The error as it may be logged. Values of the request's parameters and credentials are removed from it, because nobody knows yet which are secret.
 */
function withoutParams(error: unknown, { body }: Request): unknown {
  const texts = hiddenTexts(body, SecretPlaces.everything);
  return error instanceof Error && texts.length > 0 ? unquoted(error, texts, 0) : error;
}

function unquoted(error: Error, texts: readonly string[], depth: number): Error {
  const { name, message, stack = '', cause } = error;
  const copy = new Error(maskSecrets(message, texts));
  if (cause instanceof Error && depth < MAX_CAUSE_DEPTH) copy.cause = unquoted(cause, texts, depth + 1);
  return Object.assign(
    copy,
    { name, stack: maskSecrets(stack, texts) },
    error instanceof WindlassError ? { code: error.code } : {},
  );
}

/** As deep as the log follows them. */
const MAX_CAUSE_DEPTH = 5;

/** What Nest and its body parsers throw, in our words. */
function knownError(error: unknown): unknown {
  if (error instanceof HttpException) {
    const status = error.getStatus();
    return status < 500 ? new RequestError(clientStatus(status), 'request.refused', error.message) : error;
  }
  if (error instanceof Error && 'type' in error && typeof error.type === 'string') return parserError(error.type, error);
  // A body that does not unpack: its parser says whose fault it is, and nothing that we would repeat.
  if (error instanceof Error && 'expose' in error && error.expose === true && 'status' in error && error.status === 400)
    return new RequestError(400, 'request.unreadable', 'the body can’t be read: it is not packed as Content-Encoding says');
  return error;
}

type ClientStatus = ConstructorParameters<typeof RequestError>[0];
const clientStatus = (status: number): ClientStatus =>
  [401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 416, 422, 429].includes(status) ? (status as ClientStatus) : 400;

function parserError(type: string, error: Error): Error {
  if (type === 'entity.too.large')
    return new RequestError(
      413,
      'request.too-large',
      'the body is larger than 1 MiB, which is more than any request of this API needs',
    );
  if (type === 'request.aborted')
    return new RequestError(400, 'request.aborted', 'the client went away before its body was whole');
  // Its message quotes the body, and what stands there may be a password.
  if (type === 'entity.parse.failed') {
    const [where = 'it can’t be read'] = /position \d+/.exec(error.message) ?? [];
    return new RequestError(400, 'request.not-json', `the body is no JSON: ${where}`);
  }
  if (type.startsWith('charset') || type.startsWith('encoding')) return new RequestError(415, 'request.encoding', error.message);
  return error;
}
