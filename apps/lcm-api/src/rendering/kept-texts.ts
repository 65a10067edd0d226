/** An answer as it goes out, and what it was made of. */
export interface KeptText {
  /** Of the record: another one after each change. */
  readonly mark: string;
  /** What drivers said was secret: another object where they say something else. */
  readonly masks: object;
  readonly etag: string;
  readonly text: Buffer;
}

/** Roughly what an entry costs beside its text. */
const ENTRY_BYTES = 500;

/** Answers in memory, up to so many bytes: what was asked for longest ago goes first. */
export class KeptTexts {
  /** In the order in which they were asked for last. */
  readonly #kept = new Map<string, KeptText>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** What all that is kept takes. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): KeptText | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found;
  }

  set(key: string, kept: KeptText): void {
    this.delete(key);
    const bytes = bytesOf(kept);
    if (bytes > this.maxBytes) return;
    this.#kept.set(key, kept);
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.maxBytes) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const found = this.#kept.get(key);
    if (found === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= bytesOf(found);
  }
}

const bytesOf = ({ text }: KeptText): number => text.length + ENTRY_BYTES;
