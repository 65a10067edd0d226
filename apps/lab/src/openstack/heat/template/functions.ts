import { pythonStr } from '../../http/python-json.js';
import { isJsonObject, type Json } from '@windlass/foundation';
import { collectionFunctions } from './collection-functions.js';
import {
  FIRST_VERSION,
  FunctionError,
  MissingParameter,
  REMOVED,
  listOf,
  nameOf,
  pair,
  walk,
  type Evaluate,
  type FunctionEntry,
  type FunctionTable,
  type Scope,
} from './function-parts.js';
import { textFunctions } from './text-functions.js';

const LAST = '9999-12-31';

const entries: FunctionTable = {
  get_param: { since: FIRST_VERSION, run: getParam },
  get_resource: {
    since: FIRST_VERSION,
    run: (argument, evaluate, scope) => scope.reference(nameOf('get_resource', evaluate(argument))),
  },
  get_attr: { since: FIRST_VERSION, run: getAttr },
  get_file: { since: FIRST_VERSION, run: getFile },
  if: { since: '2016-10-14', run: chooseIf },
  equals: { since: '2016-10-14', run: (argument, evaluate) => equals(pair('equals', evaluate(argument))) },
  not: { since: '2016-10-14', run: (argument, evaluate, scope) => !truth(argument, evaluate, scope) },
  and: {
    since: '2016-10-14',
    run: (argument, evaluate, scope) => listOf('and', argument).every((one) => truth(one, evaluate, scope)),
  },
  or: {
    since: '2016-10-14',
    run: (argument, evaluate, scope) => listOf('or', argument).some((one) => truth(one, evaluate, scope)),
  },
  ...textFunctions,
  ...collectionFunctions,
};

/** The value with every function in it evaluated. */
export function evaluate(value: Json, scope: Scope): Json {
  const again: Evaluate = (inner) => evaluate(inner, scope);
  if (Array.isArray(value)) return value.map(again).filter((one) => one !== REMOVED);
  if (!isJsonObject(value)) return value;
  const [name, ...more] = Object.keys(value);
  const entry = name === undefined || more.length > 0 ? undefined : functionNamed(name, scope.version);
  if (name !== undefined && entry !== undefined) return entry.run(value[name] ?? null, again, scope);
  const members = Object.entries(value).map(([key, member]) => [key, again(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== REMOVED));
}

function functionNamed(name: string, version: string): FunctionEntry | undefined {
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  return entry !== undefined && version >= entry.since && version <= (entry.until ?? LAST) ? entry : undefined;
}

/** Calls `found` for each use of a resource: by `get_resource`, `get_attr`, wherever it stands. */
export function eachReference(value: Json, found: (resource: string, path: string) => void, path = ''): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) eachReference(entry, found, `${path}[${index}]`);
    return;
  }
  if (!isJsonObject(value)) return;
  const names = Object.keys(value);
  for (const [key, member] of Object.entries(value)) {
    if (names.length === 1 && key === 'get_resource' && typeof member === 'string') found(member, path);
    else if (names.length === 1 && key === 'get_attr' && Array.isArray(member) && typeof member[0] === 'string')
      found(member[0], path);
    eachReference(member, found, path === '' ? key : `${path}.${key}`);
  }
}

/** `get_param: name` or `[name, key, ...]`. A way that leads nowhere gives the empty text, as in Heat. */
function getParam(argument: Json, again: Evaluate, scope: Scope): Json {
  const given = again(argument);
  const [name, ...path] = Array.isArray(given) ? given : [given];
  if (name === undefined) throw new FunctionError('Function "get_param" must have arguments');
  const value = scope.parameter(pythonStr(name));
  if (value === undefined) throw new MissingParameter(pythonStr(name));
  return walk(value, path) ?? '';
}

function getAttr(argument: Json, again: Evaluate, scope: Scope): Json {
  const [resource, ...path] = listOf('get_attr', again(argument));
  return scope.attribute(nameOf('get_attr', resource ?? null), path);
}

function getFile(argument: Json, again: Evaluate, scope: Scope): Json {
  const name = nameOf('get_file', again(argument));
  const content = scope.file(name);
  if (content === undefined) throw new FunctionError(`No content found in the "files" section for get_file path: ${name}`);
  return content;
}

function chooseIf(argument: Json, again: Evaluate, scope: Scope): Json {
  const parts = listOf('if', argument);
  if (parts.length !== 3 && parts.length !== 2) {
    throw new FunctionError('Arguments to "if" must be of the form: [condition_name, value_if_true, value_if_false]');
  }
  const chosen = truth(parts[0] ?? null, again, scope) ? parts[1] : parts[2];
  return chosen === undefined ? REMOVED : again(chosen);
}

/** A condition by name, or written out. */
export function truth(condition: Json, again: Evaluate, scope: Scope): boolean {
  if (typeof condition === 'boolean') return condition;
  if (typeof condition === 'string') return scope.condition(condition);
  return again(condition) === true;
}

const equals = ([one, other]: [Json, Json]): boolean => JSON.stringify(one) === JSON.stringify(other);
