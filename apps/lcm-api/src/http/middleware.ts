import { RequestError } from '@windlass/foundation';
import { invalidBody, requireVersion, responseHeaders, sanityFindings } from '@windlass/sol003';
import express, { type NextFunction, type Request, type Response } from 'express';
import { noResource, routeOf, takesRoute, type Routes } from '../routes/routes.js';
import { refuseBrokenPath } from './encodings.js';
import { answerProblem, type ErrorLog } from './problem.filter.js';

/** 404 for a path that is no resource, 405 with `Allow` for a method that a resource does not have. Before authentication: it tells nothing. */
export const knownRoutes =
  (routes: Routes) =>
  (request: Request, response: Response, next: NextFunction): void => {
    const methods = routes.methodsOf(request.path);
    if (methods === undefined) {
      next(noResource(request.path));
      return;
    }
    const route = routes.find(request.method, request.path);
    if (route === undefined) {
      response.set('Allow', methods.join(', '));
      next(new RequestError(405, 'request.method', `${request.path} has no ${request.method}; it has ${methods.join(', ')}`));
      return;
    }
    refuseBrokenPath(request.path);
    takesRoute(request, route);
    next();
  };

/** Every answer of ETSI's APIs says its version, errors and unknown paths too; a request for another one is refused. */
export const versions = (routes: Routes) => {
  const { apis } = routes;
  return (request: Request, response: Response, next: NextFunction): void => {
    const api = apis.find(({ uriPrefix }) => isBelow(uriPrefix, request.path));
    // What belongs to no major version, as the list of all of them does, says the first.
    const said = api ?? apis.find(({ uriPrefix }) => isBelow(uriPrefix.replace(/\/v\d+$/, ''), request.path));
    if (said !== undefined) response.set(responseHeaders(said));
    if (api !== undefined && !request.path.endsWith('/api_versions')) requireVersion(api, request.header('version'));
    next();
  };
};

const isBelow = (prefix: string, path: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

const parseJson = express.json({
  limit: '1mb',
  strict: true,
  type: ['application/json', 'application/merge-patch+json', 'text/plain'],
});

/** Reads JSON where the route takes a body. A body sent to any other route is not read: it costs nothing, and no answer speaks of it. */
export function jsonOfRoute(request: Request, response: Response, next: NextFunction): void {
  const { body } = routeOf(request);
  if (body === undefined || 'mediaTypes' in body) next();
  else parseJson(request, response, next);
}

/** Refuses JSON that can't be stored, or that would keep us busy: nested too deep, with too many members, or with text that is not valid. */
export function saneBody(request: Request, _response: Response, next: NextFunction): void {
  const found = sanityFindings(request.body);
  if (found.length > 0) throw invalidBody('the body', found);
  next();
}

/** Errors of the middleware before Nest's own handling, told as all others are. */
export const problemsOf =
  (log: ErrorLog) =>
  (error: unknown, request: Request, response: Response, _next: NextFunction): void =>
    answerProblem(error, request, response, log);
