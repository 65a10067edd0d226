import { InvariantError, Secret, type Duration } from '@windlass/foundation';
import { asDuration, durationText } from './readers.js';

/** How a member of a configuration class comes from the environment. */
export interface VariableOptions<T> {
  /** `NATS_URL`. A secret is also read from the file that `NATS_URL_FILE` names. */
  name: string;
  /** For `--help`: what it decides. */
  meaning: string;
  /** For `--help` and for the message when it is wrong: `a port between 0 and 65535 (0: a free one)`. */
  expected: string;
  /** Turns the text into the value; undefined where it can't. Text as it is by default. */
  read?: (text: string) => T | undefined;
  /** Never shown, and read from `<NAME>_FILE` too. */
  secret?: boolean;
  /** May be absent though it has no default. */
  optional?: boolean;
}

export interface Variable extends VariableOptions<unknown> {
  /** The member of the class. */
  member: string;
}

const declared = new WeakMap<object, Variable[]>();

/** Declares that a member of a configuration class is read from the environment. Its initial value is its default. */
export const Variable =
  <T>(options: VariableOptions<T>): PropertyDecorator =>
  (prototype, member) => {
    if (typeof member !== 'string') throw new InvariantError('a configuration member has a symbol for a name');
    const own = declared.get(prototype) ?? [];
    own.push({ ...options, member });
    declared.set(prototype, own);
  };

/** All variables of a configuration class, those of its parents first. */
export function variablesOf(prototype: object): Variable[] {
  const parent: unknown = Object.getPrototypeOf(prototype);
  const inherited = typeof parent === 'object' && parent !== null ? variablesOf(parent) : [];
  return [...inherited, ...(declared.get(prototype) ?? [])];
}

const REQUIRED = Symbol('required');

/** The initial value of a member without a default: reading the configuration fails when its variable is absent. */
export const required = (): never => REQUIRED as never;

export const isRequired = (value: unknown): boolean => value === REQUIRED;

/** A default as `--help` shows it: as one would write it. */
export function shownDefault(variable: Variable, value: unknown): string | undefined {
  if (value === undefined || isRequired(value) || value instanceof Secret) return undefined;
  if (variable.read === asDuration) return durationText(value as Duration);
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value as Record<string, unknown>)
      .map((pair) => pair.join('='))
      .join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
