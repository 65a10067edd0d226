import { RE2JS } from 're2js';

/** Characters of a pattern, and instructions that it comes to: `^[a-z]{1,1000}$` has some 2,000. A text takes as long as both are large. */
const MOST = { characters: 1_000, instructions: 3_000 };

/** A pattern that takes no longer on a text than the text is long. */
export interface LinearPattern {
  test(text: string): boolean;
  /** The pattern as it was given. */
  toString(): string;
}

/**
 * Somebody else's pattern (a driver's schema has them), as JSON Schema means it: found anywhere unless anchored. It runs on RE2, which never goes
 * back over a text, so it knows no look-around and no back reference, and counts no further than 1,000. It has at most 1,000 characters.
 * @throws Error saying what of the pattern can't be used
 */
export function linearPattern(pattern: string): LinearPattern {
  if (pattern.length > MOST.characters) throw new Error(`the pattern has more than ${MOST.characters} characters`);
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  if (compiled.programSize() > MOST.instructions) throw new Error('the pattern is too large with its repetitions written out');
  return { test: (text) => compiled.test(text), toString: () => pattern };
}
