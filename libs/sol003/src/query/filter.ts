import { isSecretName, RequestError } from '@windlass/foundation';
import { parseAttributePath, renderAttributePath, type AttributePath } from './attribute-name.js';
import { find, type AttributeNode } from './attribute-tree.js';
import type { ResourceTable } from './resources.js';

/** Operators with one value. */
const ONE_VALUE = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const;
/** Operators with one value or more. */
const MANY_VALUES = ['in', 'nin', 'cont', 'ncont'] as const;
/** Operators of attribute-based filters (SOL013 5.2.2). */
export type FilterOperator = (typeof ONE_VALUE)[number] | (typeof MANY_VALUES)[number];

/** One `(op,attr,value[,value])`. */
export interface FilterExpression extends AttributePath {
  readonly op: FilterOperator;
  readonly values: string[];
}

/** Expressions that all have to hold (SOL013 5.2.2). An empty one holds always. */
export type Filter = FilterExpression[];

/** More expressions than this are no filter but an attack. */
const MAX_EXPRESSIONS = 50;

const isOperator = (text: string): text is FilterOperator =>
  (ONE_VALUE as readonly string[]).includes(text) || (MANY_VALUES as readonly string[]).includes(text);

function refuse(reason: string): RequestError {
  return new RequestError(400, 'query.invalid-filter', `filter: ${reason}`, { invalidParams: [{ path: 'filter', reason }] });
}

/**
 * Reads `(op,attr,value[,value]);(...)` in the spellings of v1 and v2 alike: a value that begins with a quote runs to the
 * closing one and holds two for one (`'it''s'`), any other runs to the next comma or closing parenthesis.
 * @throws RequestError 400 `query.invalid-filter`, saying where it stopped to make sense.
 */
export function parseFilterSyntax(text: string): Filter {
  const filter: Filter = [];
  for (let at = 0; ; at += 1) {
    if (text[at] !== '(') throw refuse(`expected "(" at character ${at + 1}`);
    if (filter.length === MAX_EXPRESSIONS) throw refuse(`expected at most ${MAX_EXPRESSIONS} expressions`);
    const read = readExpression(text, at + 1);
    filter.push(read.expression);
    at = read.end;
    if (at === text.length) return filter;
    if (text[at] !== ';') throw refuse(`expected ";" or the end at character ${at + 1}`);
  }
}

function readExpression(text: string, start: number): { expression: FilterExpression; end: number } {
  const opEnd = text.indexOf(',', start);
  const op = opEnd < 0 ? '' : text.slice(start, opEnd);
  if (!isOperator(op)) {
    throw refuse(`expected one of the operators ${[...ONE_VALUE, ...MANY_VALUES].join(', ')} at character ${start + 1}`);
  }
  const nameEnd = text.indexOf(',', opEnd + 1);
  const attribute = nameEnd < 0 ? undefined : parseAttributePath(text.slice(opEnd + 1, nameEnd));
  if (attribute === undefined) throw refuse(`expected an attribute name and a value at character ${opEnd + 2}`);
  const values: string[] = [];
  let at = nameEnd;
  while (text[at] === ',') {
    const read = readValue(text, at + 1);
    values.push(read.value);
    at = read.end;
  }
  if (text[at] !== ')') throw refuse(`expected ")" at character ${at + 1}`);
  if (values.length > 1 && (ONE_VALUE as readonly string[]).includes(op)) throw refuse(`expected exactly one value after ${op}`);
  return { expression: { op, ...attribute, values }, end: at + 1 };
}

function readValue(text: string, start: number): { value: string; end: number } {
  if (text[start] !== "'") {
    let end = start;
    while (end < text.length && text[end] !== ',' && text[end] !== ')') end += 1;
    return { value: text.slice(start, end), end };
  }
  let value = '';
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] !== "'") value += text[at] ?? '';
    else if (text[at + 1] !== "'") return { value, end: at + 1 };
    else {
      value += "'";
      at += 1;
    }
  }
  throw refuse(`expected a closing quote for the one at character ${start + 1}`);
}

/** The inverse of {@link parseFilterSyntax}. Values are quoted where they must be. */
export function renderFilter(filter: Filter): string {
  const quoted = (value: string): string => (/[,()']/.test(value) ? `'${value.replaceAll("'", "''")}'` : value);
  return filter
    .map(({ op, values, ...attribute }) => `(${[op, renderAttributePath(attribute), ...values.map(quoted)].join(',')})`)
    .join(';');
}

/**
 * Reads a filter for a resource, and puts second names of attributes into those that are stored.
 * @throws RequestError 400 `query.invalid-filter` for bad syntax, an attribute that the resource does not have, a structure
 * where a value is needed, a value of the wrong type, and secrets: who may not read one may not guess it letter by letter.
 */
export function parseFilter(text: string, resource: ResourceTable): Filter {
  return parseFilterSyntax(text).map((expression) => {
    const secret = expression.path.find((name) => isSecretName(name));
    if (secret !== undefined) throw refuse(`${secret} is a secret and can't be filtered by`);
    const found = find(resource.tree(), expression.path);
    if ('unknown' in found) throw refuse(`${resource.name} has no attribute ${found.unknown}`);
    checkShape(expression, found.node);
    return { ...expression, path: found.path };
  });
}

function checkShape({ op, path, onKeys, values }: FilterExpression, node: AttributeNode): void {
  const name = path.join('/');
  if (onKeys) {
    if (node.kind === 'leaf' || node.kind === 'object') throw refuse(`${name} is no map, so it has no @key`);
    return;
  }
  if (node.kind === 'object' || node.kind === 'map') throw refuse(`${name} is a structure; expected one of its attributes`);
  if (node.kind === 'free') return;
  const partial = op === 'cont' || op === 'ncont';
  if (node.type === 'number' && !partial && values.some((value) => value.trim() === '' || !Number.isFinite(Number(value)))) {
    throw refuse(`expected a number to compare ${name} with`);
  }
  if (node.type !== 'boolean') return;
  if (!['eq', 'neq', 'in', 'nin'].includes(op)) throw refuse(`${name} is true or false and can't be compared by ${op}`);
  if (values.some((value) => value !== 'true' && value !== 'false'))
    throw refuse(`expected true or false to compare ${name} with`);
}
