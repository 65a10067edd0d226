import type { Duration } from '@windlass/foundation';

/** Entries that are kept for a time, and at most so many of them: where there is no room the oldest goes. */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, { value: V; until: number }>();

  /** @param now milliseconds of a clock that only goes forward */
  constructor(
    private readonly most: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > this.now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Milliseconds for which an entry is still kept; 0 where there is none. */
  remaining(key: string): number {
    const entry = this.#entries.get(key);
    return entry === undefined ? 0 : Math.max(0, entry.until - this.now());
  }

  set(key: string, value: V, life: Duration): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.most && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, until: this.now() + life });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
