import type { WantedPlaces } from '@windlass/saga';
import { setImmediate as everybody } from 'node:timers/promises';
import { PlacesContended } from './limit-places.js';

type Count = (wanted: readonly WantedPlaces[]) => Promise<ReadonlyMap<string, number>>;

/** All others of the transaction have been answered: that it locks its keys alone changes nothing. */
export class CountedBefore extends PlacesContended {}

interface Asked {
  wanted: readonly WantedPlaces[];
  resolve: (counts: ReadonlyMap<string, number>) => void;
  reject: (error: unknown) => void;
}

/**
 * Counts for works that share a transaction: the keys of all of them are locked by one call, since those of another transaction may be the same in another
 * order. What one of them may take counts for those behind it, whether or not it takes it then: one that is refused for that is looked for after the commit.
 */
export class SharedPlaces {
  #asked: Asked[] | undefined;
  #isCounted = false;

  constructor(private readonly count: Count) {}

  /** @throws CountedBefore for who asks when all others have been answered: its keys would be locked behind theirs */
  of(wanted: readonly WantedPlaces[]): Promise<ReadonlyMap<string, number>> {
    if (this.#isCounted) return Promise.reject(new CountedBefore());
    if (this.#asked === undefined) {
      this.#asked = [];
      void everybody().then(() => this.#countAll());
    }
    const asked = this.#asked;
    return new Promise((resolve, reject) => asked.push({ wanted, resolve, reject }));
  }

  async #countAll(): Promise<void> {
    const asked = this.#asked ?? [];
    this.#isCounted = true;
    try {
      const counts = await this.count(sumOf(asked.flatMap(({ wanted }) => wanted)));
      const taken = new Map<string, number>();
      for (const { wanted, resolve } of asked) {
        resolve(new Map(wanted.map(({ key }) => [key, (counts.get(key) ?? 0) + (taken.get(key) ?? 0)])));
        for (const { key, places } of wanted) taken.set(key, (taken.get(key) ?? 0) + places);
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}

function sumOf(wanted: readonly WantedPlaces[]): WantedPlaces[] {
  const sums = new Map<string, WantedPlaces>();
  for (const { key, limit, places } of wanted) sums.set(key, { key, limit, places: places + (sums.get(key)?.places ?? 0) });
  return [...sums.values()];
}
