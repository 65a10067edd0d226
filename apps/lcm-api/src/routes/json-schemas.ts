import type { JsonObject } from '@windlass/foundation';
import { MARKER_PARAMETER } from '@windlass/sol003';
import type { QueryParameter } from './route.js';

/** JSON Schema of an object of our own with at least these members; docs/contracts/rest-extensions.md says what they mean. */
export const anObject = (...required: readonly string[]): JsonObject => ({ type: 'object', required: [...required] });

/** JSON Schema of an object of our own that has all of these members, and may come to have others. */
export const whole = (properties: JsonObject): JsonObject => ({ type: 'object', required: Object.keys(properties), properties });

/** JSON Schema of a list. */
export const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });

/** A time as RFC 3339 writes it. */
export const TIME: JsonObject = { type: 'string', format: 'date-time' };

/** The parameter that a next page is asked for with, of a list that is not SOL003's. */
export const MARKER: Readonly<Record<string, QueryParameter>> = {
  [MARKER_PARAMETER]: { meaning: 'from the Link header of the page before', schema: { type: 'string', maxLength: 255 } },
};
