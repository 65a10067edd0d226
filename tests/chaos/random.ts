import { createHash } from 'node:crypto';

/** Random numbers by a seed and a name: the same on any machine, whatever other streams draw. */
export class Random {
  #state: number;

  private constructor(private readonly name: string) {
    this.#state = createHash('sha256').update(name).digest().readUInt32BE(0);
  }

  static of(seed: number, name: string): Random {
    return new Random(`${seed}/${name}`);
  }

  /** A new stream, named below this one: draws from it do not change this stream. */
  below(name: string): Random {
    return new Random(`${this.name}/${name}`);
  }

  /** The next number: at least 0, below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(of: readonly [T, ...T[]]): T {
    return of[Math.floor(this.next() * of.length)] ?? of[0];
  }

  /** One of the values, each as likely as its weight. @throws Error where all weights are 0 */
  weighted<T>(of: readonly (readonly [weight: number, value: T])[]): T {
    const candidates = of.filter(([weight]) => weight > 0);
    let left = this.next() * candidates.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of candidates) {
      left -= weight;
      if (left < 0) return value;
    }
    const last = candidates.at(-1);
    if (last === undefined) throw new Error(`${this.name}: nothing to choose from`);
    return last[1];
  }
}
