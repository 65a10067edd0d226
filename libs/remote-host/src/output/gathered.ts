/** Bytes for a short beginning. */
const FIRST_BYTES = 1024;

/**
 * Keeps the first of what comes, at most `limit` bytes. They are copied: a piece of one byte must not hold the packet that it came in.
 * The room doubles, so that many short pieces cost no more than a long one.
 */
export class Gathered {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  #truncated = false;

  constructor(private readonly limit: number) {}

  get length(): number {
    return this.#length;
  }

  /** There was more than that. */
  get truncated(): boolean {
    return this.#truncated;
  }

  push(chunk: Buffer): void {
    const kept = chunk.subarray(0, this.limit - this.#length);
    if (kept.length < chunk.length) this.#truncated = true;
    const length = this.#length + kept.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.limit, Math.max(2 * length, FIRST_BYTES)));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    kept.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** Valid until the next push. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    this.#truncated = false;
  }
}

/** Looks for a word in what comes, wherever it is cut. It looks at nothing twice but as many bytes as the word has. */
export class Awaited {
  readonly #word: Buffer;
  /** The last bytes so far, one fewer than the word has. */
  #carried: Buffer = Buffer.alloc(0);

  constructor(word: string) {
    this.#word = Buffer.from(word, 'latin1');
  }

  /** What follows the word in this chunk; undefined while it did not come. The next search begins anew. */
  restAfter(chunk: Buffer): Buffer | undefined {
    const overlap = this.#word.length - 1;
    const seam = Buffer.concat([this.#carried, chunk.subarray(0, overlap)]);
    const at = seam.indexOf(this.#word);
    const end = at >= 0 ? at - this.#carried.length : chunk.indexOf(this.#word);
    if (at < 0 && end < 0) {
      this.#carried = Buffer.from(chunk.length >= overlap ? chunk.subarray(chunk.length - overlap) : seam.subarray(-overlap));
      return undefined;
    }
    this.#carried = Buffer.alloc(0);
    return chunk.subarray(end + this.#word.length);
  }
}
