import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';

/** What a service throws when a field is not as it must be. */
export type Complain = (field: string, value: Json, expected: string) => Error;

/** Reads members of a request body, each of one kind; a wrong kind is refused in the service's own words. */
export class Fields {
  constructor(
    private readonly body: JsonObject,
    private readonly complain: Complain,
  ) {}

  has = (name: string): boolean => this.body[name] !== undefined;
  raw = (name: string): Json | undefined => this.body[name];

  /** The names that are none of `known`. */
  unknown = (known: readonly string[]): string[] => Object.keys(this.body).filter((name) => !known.includes(name));

  text = (name: string): string | undefined =>
    this.read(name, 'string', (value) => (typeof value === 'string' ? value : undefined));

  /** A string, or null where the user says null. */
  nullableText = (name: string): string | null | undefined => (this.body[name] === null ? null : this.text(name));

  flag = (name: string): boolean | undefined =>
    this.read(name, 'boolean', (value) =>
      typeof value === 'boolean' ? value : BOOLEANS[typeof value === 'string' ? value.toLowerCase() : ''],
    );

  /** A whole number, as a number or in digits. */
  whole = (name: string): number | undefined =>
    this.read(name, 'integer', (value) => {
      const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
      return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
    });

  object = (name: string): JsonObject | undefined =>
    this.read(name, 'object', (value) => (isJsonObject(value) ? value : undefined));

  list = (name: string): Json[] | undefined => this.read(name, 'array', (value) => (Array.isArray(value) ? value : undefined));

  texts = (name: string): string[] | undefined =>
    this.read(name, 'array of strings', (value) =>
      Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined,
    );

  objects = (name: string): JsonObject[] | undefined =>
    this.read(name, 'array of objects', (value) => (Array.isArray(value) && value.every(isJsonObject) ? value : undefined));

  private read<T>(name: string, expected: string, as: (value: Json) => T | undefined): T | undefined {
    const value = this.body[name];
    if (value === undefined || value === null) return undefined;
    const found = as(value);
    if (found === undefined) throw this.complain(name, value, expected);
    return found;
  }
}

const BOOLEANS: Record<string, boolean> = { true: true, false: false };

/** An object of those entries that are there, for optional properties. */
export function present<T extends Record<string, unknown>>(entries: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: Partial<Record<keyof T, unknown>> = {};
  for (const key of Object.keys(entries) as (keyof T)[]) if (entries[key] !== undefined) kept[key] = entries[key];
  return kept as { [K in keyof T]?: Exclude<T[K], undefined> };
}
