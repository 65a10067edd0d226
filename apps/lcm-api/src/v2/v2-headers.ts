import { RequestError } from '@windlass/foundation';
import { APIS } from '@windlass/sol003';
import type { NextFunction, Request, Response } from 'express';

const PATCHES = 'application/merge-patch+json';
const BODIES = ['application/json', 'text/plain'];

/** v2 refuses what it can't read or answer: 406 where `Accept` leaves out JSON, 415 for a body of another type (lcm-api 0). */
export function v2Headers(request: Request, _response: Response, next: NextFunction): void {
  if (!request.path.startsWith(`${APIS.vnflcmV2.uriPrefix}/`) || request.path.endsWith('/api_versions')) {
    next();
    return;
  }
  if (request.accepts('application/json') === false)
    throw new RequestError(406, 'request.not-acceptable', 'answers are application/json: Accept has to admit that');
  const wanted = request.method === 'PATCH' ? [...BODIES, PATCHES] : BODIES;
  // Null means that there is no body. An empty body needs no type.
  if (request.is(wanted) === false && request.header('content-length') !== '0')
    throw new RequestError(415, 'request.media-type', `send the body as ${wanted.join(' or ')}`);
  next();
}
