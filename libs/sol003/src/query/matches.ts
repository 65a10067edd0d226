import { isJsonObject } from '@windlass/foundation';
import type { Filter, FilterExpression, FilterOperator } from './filter.js';

/**
 * True where all expressions hold. An attribute that is absent meets no expression; of a list any element will do.
 * Give it the object as its reader may see it, with secrets masked: a filter must not tell what an answer would not.
 */
export const matches = (filter: Filter, object: unknown): boolean => filter.every((expression) => holds(expression, object));

function holds({ op, path, onKeys, values }: FilterExpression, object: unknown): boolean {
  const found = valuesAt(object, path);
  const candidates = onKeys ? found.flatMap((value) => (isJsonObject(value) ? Object.keys(value) : [])) : found;
  return candidates.some((value) => compare(op, value, values));
}

/** Everything at the path; each list on the way is seen through. */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((entry: unknown) => valuesAt(entry, path));
  const [head, ...rest] = path;
  if (head === undefined) return value === undefined || value === null ? [] : [value];
  return isJsonObject(value) && Object.hasOwn(value, head) ? valuesAt(value[head], rest) : [];
}

type Scalar = string | number | boolean;

function compare(op: FilterOperator, value: unknown, wanted: readonly string[]): boolean {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false;
  switch (op) {
    case 'eq':
    case 'in':
      return wanted.some((one) => order(value, one) === 0);
    case 'neq':
    case 'nin':
      return wanted.every((one) => order(value, one) !== 0);
    case 'gt':
      return wanted.every((one) => order(value, one) > 0);
    case 'gte':
      return wanted.every((one) => order(value, one) >= 0);
    case 'lt':
      return wanted.every((one) => order(value, one) < 0);
    case 'lte':
      return wanted.every((one) => order(value, one) <= 0);
    case 'cont':
      return wanted.some((one) => String(value).includes(one));
    case 'ncont':
      return wanted.every((one) => !String(value).includes(one));
  }
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** Below, at or above zero; NaN where the two can't be compared. Numbers by size, date-times by instant, texts by code unit. */
function order(value: Scalar, wanted: string): number {
  if (typeof value === 'number') return wanted.trim() === '' ? Number.NaN : value - Number(wanted);
  if (typeof value === 'boolean') return String(value) === wanted ? 0 : Number.NaN;
  if (DATE_TIME.test(value) && DATE_TIME.test(wanted)) return Date.parse(value) - Date.parse(wanted);
  return value === wanted ? 0 : value < wanted ? -1 : 1;
}
