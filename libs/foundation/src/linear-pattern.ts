import { RE2JS } from 're2js';

/** A pattern that takes no longer on a text than the text is long. */
export interface LinearPattern {
  test(text: string): boolean;
  /** The pattern as it was given. */
  toString(): string;
}

/**
 * Somebody else's pattern (a driver's schema has them), as JSON Schema means it: found anywhere unless anchored. It runs on RE2, which never goes
 * back over a text, so it knows no look-around and no back reference, and counts no further than 1,000.
 * @throws Error saying what of the pattern can't be used
 */
export function linearPattern(pattern: string): LinearPattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.test(text), toString: () => pattern };
}
