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

/** Replaces every occurrence of the given secret values in a text, longest first, so that one inside another leaves nothing behind. */
export function maskSecrets(text: string, secrets: readonly (Secret | string)[]): string {
  const values = secrets
    .map((secret) => (typeof secret === 'string' ? secret : secret.reveal()))
    .filter((value) => value.length > 0)
    .sort((a, b) => b.length - a.length);
  return values.reduce((masked, value) => masked.replaceAll(value, MASK), text);
}

/** The user part of a URL, behind its scheme. */
export const URL_USER = /([a-z][a-z0-9+.-]{0,15}:\/\/)([^/\s]{1,1024})@/gi;

/** The user part of a URL is a secret: `http://user:pw@host/` becomes `http://***@host/`. Linear in the text's length. */
export const maskUrlUser = (text: string): string => text.replaceAll(URL_USER, `$1${MASK}@`);
