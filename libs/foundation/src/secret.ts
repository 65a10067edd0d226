import { inspect } from 'node:util';

export const MASK = '***';

/** A value that never shows itself: printing, logging or serialising it gives `***`. Only {@link Secret.reveal} gives it away. */
export class Secret {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  /** The value itself. Every call is a place to review. */
  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return MASK;
  }
  toJSON(): string {
    return MASK;
  }
  [inspect.custom](): string {
    return `Secret(${MASK})`;
  }
}

/** Shorter secrets that are words stand in other words by chance, and masked there they would be told: `per***ed`. */
const WORD_LENGTH = 8;
const IS_WORD = /^[\p{L}\p{N}]+$/u;

/** A word begins where no letter or digit is before it, behind an escape of JSON (`\nhunter2`), and behind an option of one letter (`-phunter2`). */
const BEGIN = String.raw`(?:(?<![\p{L}\p{N}])|(?<=\\[bfnrt])|(?<=(?:^|\s)-[A-Za-z]))`;
const END = String.raw`(?![\p{L}\p{N}])`;

const searched = (value: string): string | RegExp =>
  value.length < WORD_LENGTH && IS_WORD.test(value) ? new RegExp(`${BEGIN}${value}${END}`, 'gu') : value;

/**
 * Replaces every occurrence of the given secret values in a text, longest first, so that one inside another leaves nothing behind. A short one
 * that consists of letters and digits alone is replaced where it is a word by itself.
 */
export function maskSecrets(text: string, secrets: readonly (Secret | string)[]): string {
  const values = secrets
    .map((secret) => (typeof secret === 'string' ? secret : secret.reveal()))
    .filter((value) => value.length > 0)
    .sort((a, b) => b.length - a.length);
  return values.reduce((masked, value) => masked.replaceAll(searched(value), MASK), text);
}

/** The user part of a URL, behind its scheme. */
export const URL_USER = /([a-z][a-z0-9+.-]{0,15}:\/\/)([^/\s]{1,1024})@/gi;

/** The user part of a URL is a secret: `http://user:pw@host/` becomes `http://***@host/`. Linear in the text's length. */
export const maskUrlUser = (text: string): string => text.replaceAll(URL_USER, `$1${MASK}@`);
