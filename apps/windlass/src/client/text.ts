import type { Json } from '@windlass/foundation';

/** A value of an answer as a person reads it: a text as it is, anything else as JSON. */
export function text(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
