import { atPointer, InvariantError, type Json, type JsonObject } from '@windlass/foundation';
import { isReference } from './refs.js';

/** Sources named by the references of an input, each once, in order of appearance. */
export function sourcesOf(input: Json): string[] {
  const found = new Set<string>();
  visit(input, (source) => found.add(source));
  return [...found];
}

function visit(value: Json, onSource: (source: string) => void): void {
  if (isReference(value)) onSource(value.$from);
  else if (Array.isArray(value)) value.forEach((entry) => visit(entry, onSource));
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach((entry) => visit(entry, onSource));
}

/**
 * A copy of the input with every reference replaced by the value it points at.
 * @throws InvariantError when a source or the value in it is missing: a plan that points at nothing is its author's bug.
 */
export function resolveReferences(input: JsonObject, sources: ReadonlyMap<string, Json>): JsonObject {
  return resolve(input, sources) as JsonObject;
}

function resolve(value: Json, sources: ReadonlyMap<string, Json>): Json {
  if (isReference(value)) return valueOf(value.$from, typeof value.at === 'string' ? value.at : '', sources);
  if (Array.isArray(value)) return value.map((entry) => resolve(entry, sources));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, resolve(entry, sources)]));
}

function valueOf(source: string, at: string, sources: ReadonlyMap<string, Json>): Json {
  const document = sources.get(source);
  const found = document === undefined ? undefined : atPointer(document, at);
  if (found === undefined) {
    throw new InvariantError(`the plan points at "${source}"${at === '' ? '' : ` ${at}`}, where nothing is`);
  }
  return found;
}
