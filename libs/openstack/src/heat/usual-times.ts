/** What tells waits that take alike: `CREATE` with a hash of the template. */
export type WaitKind = string;

/** So many last waits of a kind say when the next may end: of five the shortest and the longest change nothing. */
const LAST = 5;

/** Kinds that are known at a time; those that nobody has waited for the longest are forgotten first. */
const MOST_KINDS = 500;

/** Between these two times waits of a kind end, as a rule. Milliseconds after they began. */
export interface UsualTime {
  from: number;
  to: number;
}

/**
 * How long waits of a kind took, as their looks tell, each beside as many others as it had: a VIM that makes ten stacks takes longer for each than for
 * one. An end lies between the look that did not show it and the one that did, which may be far apart where looks are spared: what was usual is taken where that
 * lies between them, else the look that is nearer to it; the middle, where nothing is known yet. Kept in memory, of one session: it decides when somebody
 * looks, and nothing else.
 */
export class UsualTimes {
  readonly #taken = new Map<WaitKind, number[]>();

  /**
   * Between the quarter and the three quarters of the last ones; undefined for a kind of which no wait beside so many has ended.
   * @param atOnce how many are waited for, itself among them
   */
  of(kind: WaitKind, atOnce: number): UsualTime | undefined {
    const taken = this.#taken.get(keyOf(kind, atOnce))?.toSorted((one, other) => one - other);
    if (taken === undefined) return undefined;
    const quarter = Math.floor((taken.length - 1) / 4);
    const [from = 0, to = 0] = [taken[quarter], taken[taken.length - 1 - quarter]];
    return { from, to };
  }

  /**
   * A wait of the kind has ended.
   * @param atOnce how many were waited for at most meanwhile, itself among them
   * @param notYet when the last look that did not show the end was answered, in milliseconds after the wait began; 0 where the first look showed it
   * @param ended when the answer came that showed it
   */
  ended(kind: WaitKind, atOnce: number, notYet: number, ended: number): void {
    const key = keyOf(kind, atOnce);
    const { from, to } = this.of(kind, atOnce) ?? { from: notYet, to: ended };
    const took = Math.min(Math.max((from + to) / 2, notYet), ended);
    const taken = [...(this.#taken.get(key) ?? []), took].slice(-LAST);
    this.#taken.delete(key);
    this.#taken.set(key, taken);
    const [oldest] = this.#taken.keys();
    if (this.#taken.size > MOST_KINDS && oldest !== undefined) this.#taken.delete(oldest);
  }
}

/** One, two, up to four, up to eight, ...: with each doubling a VIM takes noticeably longer. */
const keyOf = (kind: WaitKind, atOnce: number): string => `${kind} ${Math.ceil(Math.log2(Math.max(1, atOnce)))}`;
