import { setImmediate as everybody } from 'node:timers/promises';

/** Gathers what is asked for until whoever asks waits, and reads it at once. */
export class Gathering<K, V> {
  #waiting: { keys: K[]; found: Promise<readonly V[]> } | undefined;

  /**
   * @param read answers with one for each key, in their order
   * @param ofMany whether works that run side by side ask: then all that can go on has gone on before it is read
   */
  constructor(
    private readonly read: (keys: readonly K[]) => Promise<readonly V[]>,
    private readonly ofMany: boolean,
  ) {}

  async ask(key: K): Promise<V> {
    const waiting = (this.#waiting ??= this.#begin());
    const at = waiting.keys.push(key) - 1;
    return (await waiting.found)[at] as V;
  }

  #begin(): { keys: K[]; found: Promise<readonly V[]> } {
    const keys: K[] = [];
    const found = (this.ofMany ? everybody() : Promise.resolve()).then(() => {
      this.#waiting = undefined;
      return this.read(keys);
    });
    return { keys, found };
  }
}
