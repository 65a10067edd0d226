import { isUuid } from '@windlass/foundation';
import { type Filter, type FilterExpression } from '@windlass/sol003';

/** A column by which a filter's attribute can be asked of PostgreSQL. */
export interface FilterColumn {
  readonly type: 'text' | 'uuid';
  /** SQL that holds for each row whose attribute has one of the values at the placeholder; it may hold for others, too. */
  readonly among: (values: string) => string;
}

/** The texts that both sides of a filter compare by instant, not letter by letter. */
const MAY_BE_DATE_TIME = /^\d{4}-\d\d-\d\dT/;

/** SQL, and the values of its placeholders. */
export interface Conditions {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * What of a filter PostgreSQL can tell: `eq` and `in` of attributes that are columns. Rows that can't match are left out; those that are read are
 * still held against the whole filter.
 * @param next the number of the first placeholder
 */
export function conditionsOf(filter: Filter, columns: Readonly<Record<string, FilterColumn>>, next: number): Conditions {
  const found = filter.flatMap((expression) => {
    const column = columnOf(expression, columns);
    return column === undefined ? [] : [{ column, values: expression.values }];
  });
  return {
    sql: found.map(({ column: { type, among } }, n) => ` AND ${among(`$${next + n}::${type}[]`)}`).join(''),
    // Nothing else than a UUID is one.
    values: found.map(({ column: { type }, values }) => (type === 'uuid' ? values.filter((value) => isUuid(value)) : values)),
  };
}

function columnOf(
  { op, path: [name = '', ...rest], onKeys, values }: FilterExpression,
  columns: Readonly<Record<string, FilterColumn>>,
): FilterColumn | undefined {
  const exact = (op === 'eq' || op === 'in') && rest.length === 0 && !onKeys;
  if (!exact || values.some((value) => MAY_BE_DATE_TIME.test(value))) return undefined;
  return Object.hasOwn(columns, name) ? columns[name] : undefined;
}

/** An attribute that is a column's text. */
export const textColumn = (column: string): FilterColumn => ({ type: 'text', among: (values) => `${column} = ANY (${values})` });

/** An attribute that is a column's id. */
export const uuidColumn = (column: string): FilterColumn => ({ type: 'uuid', among: (values) => `${column} = ANY (${values})` });
