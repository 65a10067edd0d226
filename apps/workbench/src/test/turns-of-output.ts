/** What several programs print at the same time, one after the other: the first that has not ended is heard at once, what the others say is kept until then. */
export class TurnsOfOutput {
  readonly #waiting: { kept: string[]; ended: boolean }[] = [];
  #speaking = 0;

  constructor(private readonly write: (text: string) => void) {}

  /** The next to speak. */
  speaker(): { say: (text: string) => void; end: () => void } {
    const at = this.#waiting.push({ kept: [], ended: false }) - 1;
    return {
      say: (text) => {
        if (at === this.#speaking) this.write(text);
        else this.#waiting[at]?.kept.push(text);
      },
      end: () => {
        const own = this.#waiting[at];
        if (own !== undefined) own.ended = true;
        this.#next();
      },
    };
  }

  #next(): void {
    for (;;) {
      const one = this.#waiting[this.#speaking];
      if (one === undefined) return;
      for (const text of one.kept.splice(0)) this.write(text);
      if (!one.ended) return;
      this.#speaking += 1;
    }
  }
}
