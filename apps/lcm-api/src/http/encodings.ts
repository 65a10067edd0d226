import { RequestError } from '@windlass/foundation';
import { refuseQuery } from '@windlass/sol003';
import type { NextFunction, Request, Response } from 'express';
import type { QueryParameters } from '../routes/route.js';
import { routeOf } from '../routes/routes.js';

/** @throws RequestError 400 for a path with broken percent-encodings, or with a NUL, which a text in PostgreSQL can't have */
export function refuseBrokenPath(path: string): void {
  if (decoded(path) === undefined)
    throw new RequestError(
      400,
      'request.path-encoding',
      'the path has a percent-encoding that is no UTF-8 text, or a NUL character',
    );
}

/** Refuses query parameters that the route does not have, and text that is none: 400 with the parameter's name. */
export function knownQuery(request: Request, _response: Response, next: NextFunction): void {
  const { query, otherQuery } = routeOf(request);
  refuseBrokenQuery(request.originalUrl);
  if (query === undefined || !isList(query)) {
    const known = Object.keys(query ?? {});
    if (otherQuery === undefined) refuseQuery(request.query, known);
  }
  next();
}

const isList = (query: QueryParameters): boolean => 'excludedByDefault' in query;

function refuseBrokenQuery(url: string): void {
  const start = url.indexOf('?');
  if (start < 0) return;
  for (const part of url.slice(start + 1).split('&')) {
    if (decoded(part.replaceAll('+', ' ')) !== undefined) continue;
    const [name = ''] = part.split('=', 1);
    const path = (decoded(name) ?? '(unreadable)').slice(0, 64);
    const reason = 'expected percent-encoded UTF-8 text without NUL characters';
    throw new RequestError(400, 'request.query-encoding', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
  }
}

/** Undefined for what is no text that could be kept. */
function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text);
    return plain.includes('\0') ? undefined : plain;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
