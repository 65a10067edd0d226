/** What tells waits that take alike: `CREATE` with a hash of the template. */
export type WaitKind = string;

/** Of so many last waits of a kind the median is the usual time: one that took unusually long changes nothing. */
const LAST = 5;

/** Kinds that are known at a time; those that nobody has waited for the longest are forgotten first. */
const MOST_KINDS = 500;

/**
 * How long waits of a kind took, as their looks tell. An end lies between the look that did not show it and the one that did: the middle is taken. Kept in
 * memory, of one session: it decides when somebody looks, and nothing else.
 */
export class UsualTimes {
  readonly #taken = new Map<WaitKind, number[]>();

  /** Milliseconds; undefined for a kind of which no wait has ended. */
  of(kind: WaitKind): number | undefined {
    const taken = this.#taken.get(kind);
    return taken === undefined ? undefined : taken.toSorted((one, other) => one - other)[Math.floor((taken.length - 1) / 2)];
  }

  /**
   * A wait of the kind has ended.
   * @param notYet when the last look that did not show the end was answered, in milliseconds after the wait began; 0 where the first look showed it
   * @param ended when the answer came that showed it
   */
  ended(kind: WaitKind, notYet: number, ended: number): void {
    const taken = [...(this.#taken.get(kind) ?? []), (notYet + ended) / 2].slice(-LAST);
    this.#taken.delete(kind);
    this.#taken.set(kind, taken);
    const [oldest] = this.#taken.keys();
    if (this.#taken.size > MOST_KINDS && oldest !== undefined) this.#taken.delete(oldest);
  }
}
