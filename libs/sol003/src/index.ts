export * from './masking/index.js';
export * from './notifications/index.js';
export * from './operation-state/index.js';
export * from './operations/index.js';
export * from './problem/index.js';
export * from './query/index.js';
export * from './rendering/index.js';
export * from './requests/index.js';
export * from './resource-changes/index.js';
export * from './resources/index.js';
export * from './types/index.js';
export * from './v2/index.js';
export * from './versions/index.js';
/** Decorators and rules for request bodies of one's own: `@body.Required(body.text())`. */
export * as body from './validation/index.js';
export {
  attributesOf,
  invalidBody,
  sanityFindings,
  validateBody,
  validated,
  bodySchema,
  type BodyClass,
  type Finding,
  type NamedSchemas,
  type Plain,
} from './validation/index.js';
