/** Functions that make shapes: `shape.object({ name: shape.text() })`. */
export * as shape from './shape.js';
export type { JsonSchema, Members, OfMembers, Optional, Shape, TypeOf } from './shape.js';
