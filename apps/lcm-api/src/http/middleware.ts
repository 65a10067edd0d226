import { RequestError } from '@windlass/foundation';
import { APIS, requireVersion, responseHeaders, type ApiVersion } from '@windlass/sol003';
import type { NextFunction, Request, Response } from 'express';
import { answerProblem, type ErrorLog } from './problem.filter.js';
import { noResource, type Routes } from './routes.js';

/** 404 for a path that is no resource, 405 with `Allow` for a method that a resource does not have. Before authentication: it tells nothing. */
export const knownRoutes =
  (routes: Routes) =>
  (request: Request, response: Response, next: NextFunction): void => {
    const methods = routes.methodsOf(request.path);
    if (methods === undefined) {
      next(noResource(request.path));
      return;
    }
    if (!methods.includes(request.method)) {
      response.set('Allow', methods.join(', '));
      next(new RequestError(405, 'request.method', `${request.path} has no ${request.method}; it has ${methods.join(', ')}`));
      return;
    }
    next();
  };

const VERSIONED: readonly ApiVersion[] = [APIS.vnflcmV1, APIS.vnfpkgmV1];

/** Every answer says its version, errors too; a request for another one is refused. */
export function versions(request: Request, response: Response, next: NextFunction): void {
  const api = VERSIONED.find(({ uriPrefix }) => request.path.startsWith(`${uriPrefix}/`));
  if (api === undefined) {
    next();
    return;
  }
  response.set(responseHeaders(api));
  if (!request.path.endsWith('/api_versions')) requireVersion(api, request.header('version'));
  next();
}

/** Errors of the middleware before Nest's own handling, told as all others are. */
export const problemsOf =
  (log: ErrorLog) =>
  (error: unknown, request: Request, response: Response, _next: NextFunction): void =>
    answerProblem(error, request, response, log);
