/** Takes bytes of a stream as many at a time as are wanted, whatever pieces it comes in. */
export class ByteSource {
  readonly #pieces: AsyncIterator<Buffer>;
  #held: Buffer[] = [];
  #size = 0;
  #done = false;

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Fewer only at the end. */
  async upTo(size: number): Promise<Buffer> {
    while (this.#size < size && (await this.#pull()));
    const all = this.#held.length === 1 ? (this.#held[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#held);
    const taken = all.subarray(0, size);
    const rest = all.subarray(taken.length);
    this.#held = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
    return taken;
  }

  async ended(): Promise<boolean> {
    while (this.#size === 0 && (await this.#pull()));
    return this.#size === 0;
  }

  async #pull(): Promise<boolean> {
    if (this.#done) return false;
    const next = await this.#pieces.next();
    if (next.done === true) {
      this.#done = true;
      return false;
    }
    this.#held.push(next.value);
    this.#size += next.value.length;
    return true;
  }
}
