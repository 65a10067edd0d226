import { nearest as mostLike } from '@windlass/foundation';

/** Which of the names a misspelt one is most like; undefined where none is like it: two of five letters differ, or it is longer than names are. */
export const nearest = (name: string, names: readonly string[]): string | undefined =>
  name.length > LONGEST_NAME ? undefined : mostLike(name, names, 2 / 5);

/** Characters of a name that is compared. */
const LONGEST_NAME = 100;
