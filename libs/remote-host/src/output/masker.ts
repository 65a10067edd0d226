import { MASK, Secret, SecretTexts } from '@windlass/foundation';

/** The user part of a URL. It looks for no scheme before it: logs have long lines, and that search is quadratic in them. */
const URL_USER = /:\/\/[^/\s@]+@/g;
/** Shorter lines of a secret are no secret by themselves: the frame of a key, an empty line. */
const MIN_LINE_LENGTH = 8;

/** Hides the secrets that a step knows. */
export class Masker {
  readonly #values = new Set<string>();
  readonly #clear: ReadonlySet<string>;
  #longest = 0;
  #texts: SecretTexts | undefined;

  /** @param clear names that stand in the clear elsewhere, such as the user of a login: a secret that equals one is not looked for in texts */
  constructor(secrets: Iterable<Secret | undefined> = [], clear: Iterable<string> = []) {
    this.#clear = new Set(clear);
    for (const secret of secrets) this.add(secret);
  }

  /** Adds what is a Secret; anything else is none. */
  add(value: unknown): void {
    if (!(value instanceof Secret)) return;
    const text = value.reveal();
    if (this.#clear.has(text)) return;
    this.#values.add(text);
    this.#texts = undefined;
    // One of several lines is seen line by line.
    for (const line of text.split('\n')) {
      this.#longest = Math.max(this.#longest, line.length);
      if (line.trim().length >= MIN_LINE_LENGTH) this.#values.add(line.trim());
    }
  }

  mask(text: string): string {
    this.#texts ??= new SecretTexts(this.#values);
    return this.#texts.mask(text).replaceAll(URL_USER, `://${MASK}@`);
  }

  /** Characters of the longest line of one. */
  get longest(): number {
    return this.#longest;
  }
}
