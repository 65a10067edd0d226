import type { Json, JsonObject } from '@windlass/foundation';
import type { Routes } from '../routes/routes.js';
import { Components } from './components.js';
import { operationOf } from './operation.js';
import { TAGS } from './tags.js';

/** What the document says of the whole. */
export interface DocumentSettings {
  /** Where clients find this API; relative to the document where nobody says it. */
  readonly server?: string;
}

/**
 * The OpenAPI 3.1 document of a surface. Bodies come from their classes, answers are ETSI's JSON Schemas where they exist; everything
 * else is what the routes' decorators say.
 */
export function openApiDocument(routes: Routes, { server = '/' }: DocumentSettings = {}): JsonObject {
  const components = new Components();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes.all) {
    (paths[pathOf(route.pattern)] ??= {})[route.method.toLowerCase()] = operationOf(route, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Windlass',
      summary: 'A VNF manager: ETSI NFV-SOL003',
      description:
        'Errors are ProblemDetails (RFC 7807) with `status` and `detail`; below `/v1.0` they are as the legacy API tells them. ' +
        'A method that a resource does not have is 405 with `Allow`. Any route may also answer 408, 429, 500 or 503. `x-windlass-role` is the least role that may use a route.',
      version: '0.1.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server }],
    security: [{ token: [] }, { bearer: [] }, { basic: [] }],
    tags: TAGS.map(([, name, description]) => ({ name, description })),
    paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1))),
    components: components.all(),
  };
}

/** `/x/:id/files/*path` as `/x/{id}/files/{path}`. */
const pathOf = (pattern: string): string => pattern.replaceAll(/[:*](\w+)/g, '{$1}');
