import { MASK, maskSecrets, Secret } from '@windlass/foundation';

/** The user part of a URL. It looks for no scheme before it: logs have long lines, and that search is quadratic in them. */
const URL_USER = /:\/\/[^/\s@]+@/g;
/** Shorter lines of a secret are no secret by themselves: the frame of a key, an empty line. */
const MIN_LINE_LENGTH = 8;

/** Hides the secrets that a step knows. */
export class Masker {
  readonly #values = new Set<string>();

  constructor(secrets: Iterable<Secret | undefined> = []) {
    for (const secret of secrets) this.add(secret);
  }

  /** Adds what is a Secret; anything else is none. */
  add(value: unknown): void {
    if (!(value instanceof Secret)) return;
    const text = value.reveal();
    this.#values.add(text);
    // One of several lines is seen line by line.
    for (const line of text.split('\n')) if (line.trim().length >= MIN_LINE_LENGTH) this.#values.add(line.trim());
  }

  mask(text: string): string {
    return maskSecrets(text, [...this.#values]).replaceAll(URL_USER, `://${MASK}@`);
  }

  /** In characters. */
  get longest(): number {
    return Math.max(0, ...[...this.#values].map((value) => value.length));
  }
}
