import { InvariantError, RequestError } from '@windlass/foundation';
import type { OperationTable } from '@windlass/lifecycle';
import { APIS, type ApiVersion } from '@windlass/sol003';
import type { Request } from 'express';
import { routesIn, type ControllerClass, type Route } from './route.js';

/** In the order in which `Allow` tells them. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface Resource {
  readonly test: RegExp;
  readonly routes: ReadonlyMap<string, Route>;
}

/** Every route that there is, from what the controllers' decorators say of them, and the rows of the table of operations. */
export class Routes {
  /** In the order of the controllers and their handlers. */
  readonly all: readonly Route[];
  /** Resources whose paths name more come first: `/vnf_instances/:id/scale` before what a parameter could stand for. */
  readonly #resources: readonly Resource[];

  /** @throws InvariantError for a route that nothing describes, and for one that there is twice */
  constructor(controllers: readonly ControllerClass[], operations: OperationTable) {
    this.all = controllers.flatMap((controller) => routesIn(controller, operations));
    const byShape = new Map<string, Map<string, Route>>();
    for (const route of this.all) {
      if (!METHODS.includes(route.method))
        throw new InvariantError(`${route.pattern} has the method ${route.method}, which no API here has`);
      for (const shape of [route.pattern, ...route.aliases].map(shapeOf)) {
        const methods = byShape.get(shape) ?? new Map<string, Route>();
        if (methods.has(route.method)) throw new InvariantError(`there are two routes ${route.method} ${route.pattern}`);
        byShape.set(shape, methods.set(route.method, route));
      }
    }
    this.#resources = [...byShape]
      .sort(([one], [other]) => parametersIn(one) - parametersIn(other))
      .map(([shape, routes]) => ({ test: testOf(shape), routes }));
  }

  /** The methods of the resource at a path; undefined where there is none. */
  methodsOf(path: string): readonly string[] | undefined {
    const found = this.#resourceAt(path);
    return found === undefined ? undefined : METHODS.filter((method) => found.routes.has(method));
  }

  /** The route of a request; undefined where there is no such resource, or no such method of it. */
  find(method: string, path: string): Route | undefined {
    return this.#resourceAt(path)?.routes.get(method);
  }

  /** Every `METHOD pattern` that changes something. A route that has refusals alone changes nothing. */
  changing(): string[] {
    const changes = ({ method, answers, changesNothing }: Route): boolean =>
      method !== 'GET' && changesNothing !== true && Object.keys(answers).length > 0;
    return this.all.filter(changes).map(({ method, pattern }) => `${method} ${pattern}`);
  }

  /** The versions of ETSI's APIs that have a route. */
  get apis(): readonly ApiVersion[] {
    return Object.values(APIS).filter(({ uriPrefix }) => this.all.some(({ pattern }) => pattern.startsWith(`${uriPrefix}/`)));
  }

  #resourceAt(path: string): Resource | undefined {
    return this.#resources.find(({ test }) => test.test(path));
  }
}

/** A pattern without the names of its parameters, by which two resources would be the same. */
const shapeOf = (pattern: string): string => pattern.replaceAll(/:\w+/g, ':').replace(/\*\w+/, '*');

/** A resource with a parameter for the rest of the path comes after all others. */
const parametersIn = (shape: string): number => shape.split(':').length + (shape.endsWith('*') ? 100 : 0);

const testOf = (shape: string): RegExp =>
  new RegExp(`^${shape.replaceAll('.', '\\.').replaceAll(':', '[^/]+').replace('*', '.+').replace(/^\/$/, '')}/?$`);

/** The answer to a path that is no resource. */
export const noResource = (path: string): RequestError =>
  new RequestError(404, 'request.no-resource', `there is no resource ${path}`);

const taken = new WeakMap<Request, Route>();

/** Remembers which route a request takes. */
export const takesRoute = (request: Request, route: Route): void => void taken.set(request, route);

/** Whether it takes a route that changes nothing. */
export const takesReadingRoute = (request: Request): boolean => taken.get(request)?.changesNothing === true;

/** The route that a request takes, in guards, handlers, and middleware behind `knownRoutes`. */
export function routeOf(request: Request): Route {
  const route = taken.get(request);
  if (route === undefined) throw new InvariantError(`nobody has looked which route ${request.method} ${request.path} takes`);
  return route;
}
