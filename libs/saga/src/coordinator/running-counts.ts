import type { SagaGraph } from '../engine/graph.js';
import type { JournalTransaction } from '../ports.js';

/** How many steps run by limit key, over all operations, while one transaction moves steps of its own: it asks the journal once for each key. */
export class RunningCounts {
  /** Of all operations when the key was counted, less those of this one at that moment. */
  readonly #others = new Map<string, number>();

  constructor(
    private readonly tx: Pick<JournalTransaction, 'countRunning'>,
    private readonly graph: SagaGraph,
  ) {}

  /** Counts and locks keys. All of a transaction's are to be locked by one call, since those of another may be the same in another order. */
  async lock(keys: readonly string[]): Promise<void> {
    const unknown = [...new Set(keys)].filter((key) => !this.#others.has(key));
    if (unknown.length === 0) return;
    const counts = await this.tx.countRunning(unknown);
    for (const key of unknown) this.#others.set(key, (counts.get(key) ?? 0) - this.#own(key));
  }

  /** What runs now, as this transaction has moved its steps so far. */
  async of(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    await this.lock(keys);
    return new Map(keys.map((key) => [key, (this.#others.get(key) ?? 0) + this.#own(key)]));
  }

  #own(key: string): number {
    return this.graph.steps.filter(({ state, limitKeys }) => state === 'running' && limitKeys.includes(key)).length;
  }
}
