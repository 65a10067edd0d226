import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';

/**
 * Stands for a value that is not known yet (an attribute, an id, while a template is only checked). A text that no template
 * can hold, because YAML has no NUL.
 */
export const UNKNOWN = '\u0000unknown\u0000';

/** What an `if` without its third part leaves behind: the member is as if it were not there. */
export const REMOVED = '\u0000removed\u0000';

/** What functions are evaluated against. */
export interface Scope {
  /** The template's version: it decides which functions there are. */
  version: string;
  parameter(name: string): Json | undefined;
  /** What `get_resource` gives. */
  reference(resource: string): Json;
  /** What `get_attr` gives. */
  attribute(resource: string, path: Json[]): Json;
  file(name: string): string | undefined;
  condition(name: string): boolean;
}

export type Evaluate = (value: Json) => Json;
export type IntrinsicFunction = (argument: Json, evaluate: Evaluate, scope: Scope) => Json;

/** A function and the template versions that have it. */
export interface FunctionEntry {
  since: string;
  /** The last version that has it. */
  until?: string;
  run: IntrinsicFunction;
}

export const FIRST_VERSION = '2013-05-23';

/** A function that cannot be evaluated; who evaluates says where. */
export class FunctionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FunctionError';
  }
}

/** A parameter that a function asks for and the template does not declare. */
export class MissingParameter extends Error {
  constructor(name: string) {
    super(`The Parameter (${name}) was not provided.`);
    this.name = 'MissingParameter';
  }
}

/** Walks into a value by keys and indices; undefined where the way ends. */
export function walk(value: Json | undefined, path: Json[]): Json | undefined {
  let here = value;
  for (const step of path) {
    if (here === UNKNOWN) return UNKNOWN;
    if (Array.isArray(here)) here = here[Number(step)];
    else if (isJsonObject(here) && (typeof step === 'string' || typeof step === 'number')) {
      here = Object.hasOwn(here, String(step)) ? here[String(step)] : undefined;
    } else return undefined;
  }
  return here;
}

/** True where the value is, or holds, {@link UNKNOWN}. */
export function holdsUnknown(value: Json): boolean {
  if (typeof value === 'string') return value.includes(UNKNOWN);
  if (Array.isArray(value)) return value.some(holdsUnknown);
  return isJsonObject(value) && Object.values(value).some(holdsUnknown);
}

export function nameOf(name: string, value: Json): string {
  if (typeof value !== 'string') throw new FunctionError(`Argument to "${name}" must be a string`);
  return value;
}

export function listOf(name: string, value: Json): Json[] {
  if (!Array.isArray(value)) throw new FunctionError(`Arguments to "${name}" must be a list`);
  return value;
}

export function pair(name: string, value: Json): [Json, Json] {
  const [one, other, ...more] = listOf(name, value);
  if (one === undefined || other === undefined || more.length > 0) {
    throw new FunctionError(`Arguments to "${name}" must be of the form: [value_1, value_2]`);
  }
  return [one, other];
}

export type FunctionTable = Record<string, FunctionEntry>;
export const asObject = (name: string, value: Json): JsonObject => {
  if (!isJsonObject(value)) throw new FunctionError(`Arguments to "${name}" must be a map`);
  return value;
};
