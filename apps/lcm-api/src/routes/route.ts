import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { InvariantError, type JsonObject, withoutEnd } from '@windlass/foundation';
import type { OperationTable } from '@windlass/lifecycle';
import type { BodyClass, ResourceTable } from '@windlass/sol003';
import type { SchemaName } from '@windlass/sol003/schemas';

/** The least that may use a route; `anyone` needs no credentials. An operator may all that a reader may, an admin may everything. */
export type LeastRole = 'anyone' | 'reader' | 'operator' | 'admin';

/** What a request's body is: JSON that a class describes or that is free within `schema`, or bytes of these media types. */
export type RequestBody =
  | { readonly of: BodyClass; readonly optional?: true }
  | { readonly schema: JsonObject; readonly optional?: true }
  | { readonly mediaTypes: readonly string[] };

/** One query parameter that is no list's. */
export interface QueryParameter {
  readonly meaning: string;
  readonly schema: JsonObject;
}

/** Query parameters: those of a list (SOL013 5), or named ones. What is not named is refused with 400. */
export type QueryParameters = ResourceTable | Readonly<Record<string, QueryParameter>>;

/** A header that an answer always or sometimes carries. */
export type AnswerHeader =
  'Location' | 'Link' | 'ETag' | 'Accept-Ranges' | 'Content-Range' | 'Windlass-Warning' | 'Windlass-Journal-Purged';

/** An answer that is no error: ETSI's type by its name, a JSON Schema of our own, or bytes; none of these: it has no body. */
export interface Answer {
  readonly type?: SchemaName;
  readonly schema?: JsonObject;
  readonly mediaTypes?: readonly string[];
  readonly headers?: readonly AnswerHeader[];
}

/** Everything that is told of a route beside its method and path, which Nest's own decorators say. */
export interface RouteDescription {
  /** A few words, for the table of routes and the OpenAPI document. */
  readonly summary: string;
  readonly role: LeastRole;
  readonly body?: RequestBody;
  readonly query?: QueryParameters;
  /** Query parameters that are not named are passed over, as the legacy API does. */
  readonly otherQuery?: 'ignored';
  /** Answers that are no errors, by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** The method is one that changes things, but this route changes nothing: it is treated as a read, without an entry in the audit trail. */
  readonly changesNothing?: true;
  /** Refusals beside those that follow from the rest: 400, 401, 403, 404, 406, 413, 415. */
  readonly refusals?: readonly number[];
}

/** A route of a controller, and of an operation where the table of operations says so. */
export interface Route extends RouteDescription {
  /** `GET`, `POST`, ... */
  readonly method: string;
  /** From the root of this service on, with `:name` for one segment and `*name` for the rest: `/vnflcm/v1/vnf_instances/:id`. */
  readonly pattern: string;
  /** Other patterns of the same route, which existing clients use. */
  readonly aliases: readonly string[];
  /** The operation that is asked for, as `SCALE`. */
  readonly operation?: string;
}

/** What a route's decorator has to say, once the operations are known: one description, or one for each operation. */
type Describe = (operations: OperationTable) => { task?: string; operation?: string; description: RouteDescription }[];

const described = new WeakMap<object, Describe>();

const decorate =
  (describe: Describe): MethodDecorator =>
  (_prototype, _name, descriptor) => {
    described.set(descriptor.value as object, describe);
  };

/** Describes a route. A handler with a method and a path but without this is an error when the service starts. */
export const ApiRoute = (description: RouteDescription): MethodDecorator => decorate(() => [{ description }]);

/** What of an operation's route is not the same for all. The body is the operation's own unless it is said here. */
export interface OperationRoutes {
  /** `POST` for the task resources below an instance, which stand for `:task` in the handler's path; `PATCH` for the instance itself. */
  readonly method: 'POST' | 'PATCH';
  readonly bodyOf?: (operation: string) => BodyClass | undefined;
  readonly refusals?: readonly number[];
  /** Where the route shows what the operation would do: the answer that shows it. */
  readonly shows?: { readonly summary: string; readonly answer: Answer };
}

/** Describes the routes of all operations that are asked for by that method: a row in the table of operations is a route. */
export const ApiOperationRoutes = ({ method, bodyOf, refusals = [], shows }: OperationRoutes): MethodDecorator =>
  decorate((operations) =>
    operations.all.flatMap(({ operation, route, body }) =>
      route.method === method
        ? [
            {
              ...(route.method === 'POST' ? { task: route.task } : {}),
              operation,
              description: {
                summary: shows === undefined ? `${operation} of a VNF instance` : `${shows.summary} ${operation}`,
                role: 'operator',
                body: { of: bodyOf?.(operation) ?? body },
                answers: shows === undefined ? { 202: { headers: ['Location'] } } : { 200: shows.answer },
                ...(shows === undefined ? {} : { changesNothing: true }),
                refusals: [409, ...refusals],
              },
            },
          ]
        : [],
    ),
  );

/** A class whose methods answer requests. */
export type ControllerClass = abstract new (...parameters: never[]) => object;

/** The routes of a controller. Its handlers for messages are none. @throws InvariantError for a route that nothing describes */
export function routesIn(controller: ControllerClass, operations: OperationTable): Route[] {
  const prototype = controller.prototype as Record<string, unknown>;
  return Object.getOwnPropertyNames(prototype).flatMap((name): Route[] => {
    const handler = prototype[name];
    const method = typeof handler === 'function' ? (Reflect.getMetadata(METHOD_METADATA, handler) as unknown) : undefined;
    if (typeof method !== 'number') return [];
    const describe = described.get(handler as object);
    if (describe === undefined)
      throw new InvariantError(`${controller.name}.${name} is a route that nothing describes: give it @ApiRoute`);
    return describe(operations).map(({ task = '', operation, description }) => {
      const [pattern = '/', ...aliases] = pathsOf(controller).flatMap((prefix) =>
        pathsOf(handler as object).map((path) => joined(prefix, path).replace(':task', task)),
      );
      const ofOperation = operation === undefined ? {} : { operation };
      return { ...description, ...ofOperation, method: RequestMethod[method] ?? 'ALL', pattern, aliases };
    });
  });
}

/** What Nest's decorators kept: one path or several. */
const pathsOf = (decorated: object): string[] => [Reflect.getMetadata(PATH_METADATA, decorated) as string | string[]].flat();

const joined = (...parts: readonly string[]): string =>
  `/${parts
    .map((part) => withoutEnd(part, '/').replace(/^\/+/, ''))
    .filter((part) => part !== '')
    .join('/')}`;
