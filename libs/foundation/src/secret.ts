import { inspect } from 'node:util';
import { MASK } from './mask.js';

export { MASK } from './mask.js';
export { maskSecrets } from './secret-texts.js';

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

/** The user part of a URL, behind its scheme. */
export const URL_USER = /([a-z][a-z0-9+.-]{0,15}:\/\/)([^/\s]{1,1024})@/gi;

/** The user part of a URL is a secret: `http://user:pw@host/` becomes `http://***@host/`. Linear in the text's length. */
export const maskUrlUser = (text: string): string => text.replaceAll(URL_USER, `$1${MASK}@`);
