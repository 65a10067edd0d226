import type { JsonObject } from '@windlass/foundation';
import type { Routes } from '../routes/routes.js';
import { openApiDocument } from './document.js';

/** The OpenAPI document of the surface that is served. It is made when somebody asks for it first. */
export class ApiDocument {
  #made: JsonObject | undefined;

  constructor(private readonly routes: Routes) {}

  /** @param server where clients find this API */
  of(server: string): JsonObject {
    return (this.#made ??= openApiDocument(this.routes, { server }));
  }
}
