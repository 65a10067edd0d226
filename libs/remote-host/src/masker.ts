import { MASK, maskSecrets, Secret } from '@windlass/foundation';

/** The user part of a URL. It looks for no scheme before it: logs have long lines, and that search is quadratic in them. */
const URL_USER = /:\/\/[^/\s@]+@/g;
/** Shorter lines of a secret are no secret by themselves: the frame of a key, an empty line. */
const MIN_LINE_LENGTH = 8;

/** Hides the secrets that a step knows. */
export class Masker {
  readonly #values = new Set<string>();
  #longest = 0;

  constructor(secrets: Iterable<Secret | undefined> = []) {
    for (const secret of secrets) this.add(secret);
  }

  /** Adds what is a Secret; anything else is none. */
  add(value: unknown): void {
    if (!(value instanceof Secret)) return;
    const text = value.reveal();
    this.#values.add(text);
    // One of several lines is seen line by line.
    for (const line of text.split('\n')) {
      this.#longest = Math.max(this.#longest, line.length);
      if (line.trim().length >= MIN_LINE_LENGTH) this.#values.add(line.trim());
    }
  }

  mask(text: string): string {
    // A machine may say much in short lines: they are not looked through for what can't be in them.
    const possible = [...this.#values].filter((value) => value.length <= text.length);
    return maskSecrets(text, possible).replaceAll(URL_USER, `://${MASK}@`);
  }

  /** Characters of the longest line of one. */
  get longest(): number {
    return this.#longest;
  }
}
