/** Bytes for a short log. */
const FIRST_BYTES = 1024;

/** The last bytes of what comes. They move to the front when twice as many are there, so that many short pieces cost no more than a long one. */
export class Tail {
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;

  constructor(private readonly limit: number) {}

  get length(): number {
    return Math.min(this.#end, this.limit);
  }

  /** Returns how many bytes are no longer kept. */
  push(chunk: Buffer): number {
    const before = this.length;
    const piece = chunk.subarray(Math.max(0, chunk.length - this.limit));
    this.#makeRoom(piece.length);
    piece.copy(this.#bytes, this.#end);
    this.#end += piece.length;
    return before + chunk.length - this.length;
  }

  bytes(): Buffer {
    return Buffer.from(this.#bytes.subarray(this.#end - this.length, this.#end));
  }

  clear(): void {
    this.#end = 0;
  }

  #makeRoom(more: number): void {
    if (this.#end + more <= this.#bytes.length) return;
    const kept = this.length;
    const size = Math.min(2 * this.limit, Math.max(2 * (kept + more), FIRST_BYTES));
    const target = size > this.#bytes.length ? Buffer.allocUnsafe(size) : this.#bytes;
    this.#bytes.copy(target, 0, this.#end - kept, this.#end);
    this.#bytes = target;
    this.#end = kept;
  }
}
