import type { SagaGraph } from '../engine/graph.js';
import type { EnginePolicy } from '../engine/policy.js';
import { holdsPlaces } from '../engine/step-records.js';
import type { JournalTransaction, WantedPlaces } from '../ports.js';

/** How many steps hold places by limit key, over all operations, while one transaction moves steps of its own: the journal counts for each claim once. */
export class RunningCounts {
  /** Of all operations when the key was counted, less those of this one at the transaction's beginning. */
  readonly #others = new Map<string, number>();
  /** Claims that the key was counted for and that did not come yet. */
  readonly #expected = new Map<string, number>();
  /** The limit keys of this operation's steps that ran at the transaction's beginning. */
  readonly #before: readonly string[];

  constructor(
    private readonly tx: Pick<JournalTransaction, 'countRunning'>,
    private readonly graph: SagaGraph,
    private readonly limitOf: EnginePolicy['limitOf'],
  ) {
    this.#before = this.#runningKeys();
  }

  /**
   * Counts keys for claims to come, each as often as it is there. All of a transaction's are to be counted by one call, since those of another may be the
   * same in another order.
   */
  async expect(keys: readonly string[]): Promise<void> {
    const wanted = new Map<string, WantedPlaces>();
    for (const key of keys) {
      const limit = this.limitOf(key);
      if (limit !== undefined) wanted.set(key, { key, limit, places: (wanted.get(key)?.places ?? 0) + 1 });
    }
    if (wanted.size === 0) return;
    const counts = await this.tx.countRunning([...wanted.values()]);
    for (const { key, places } of wanted.values()) {
      this.#others.set(key, (counts.get(key) ?? 0) - timesIn(this.#before, key));
      this.#expected.set(key, (this.#expected.get(key) ?? 0) + places);
    }
  }

  /** For one claim: what runs now under those of the keys that are limits, as this transaction has moved its steps so far. */
  async of(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const limited = keys.filter((key) => this.limitOf(key) !== undefined);
    await this.expect(limited.filter((key) => (this.#expected.get(key) ?? 0) === 0));
    for (const key of limited) this.#expected.set(key, (this.#expected.get(key) ?? 0) - 1);
    const now = this.#runningKeys();
    return new Map(limited.map((key) => [key, (this.#others.get(key) ?? 0) + timesIn(now, key)]));
  }

  #runningKeys(): string[] {
    return this.graph.steps.filter(holdsPlaces).flatMap(({ limitKeys }) => limitKeys);
  }
}

const timesIn = (keys: readonly string[], key: string): number => keys.filter((each) => each === key).length;
