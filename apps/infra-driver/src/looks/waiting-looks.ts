import { Turns } from '@windlass/foundation';
import type { StepRun } from '@windlass/saga';

/** Looks under way at once at one VIM for one tenant, from one replica. A VIM that answers in 50 ms is so asked 160 times a second at most. */
const LOOKS_AT_ONCE = 8;

/**
 * Turns for the looks of runs that only wait. Such a run holds no place under its VIM's limit, so that any number may wait: their looks are bounded
 * here. Whoever waits for a turn looks later, and a wait whose pauses follow its looks (`restFactor`) then looks less often.
 */
export class WaitingLooks {
  readonly #turns = new Map<string, Turns>();

  /** @param atOnce looks under way at once, at each VIM for each tenant */
  constructor(private readonly atOnce = LOOKS_AT_ONCE) {}

  /**
   * Looks at a VIM when it is the turn of this look.
   * @param url of the VIM: Keystone's, or a cluster's
   * @throws the reason of the run's signal while it waits for a turn; what the look throws
   */
  async take<T>({ tenant, signal }: Pick<StepRun, 'tenant' | 'signal'>, url: string, look: () => Promise<T>): Promise<T> {
    const key = `${tenant} ${url}`;
    const turns = this.#turns.get(key) ?? new Turns({ places: this.atOnce });
    this.#turns.set(key, turns);
    try {
      return await turns.run(tenant, look, signal);
    } finally {
      // Whoever waits for a turn takes a place in the moment that it is left.
      if (turns.running === 0 && this.#turns.get(key) === turns) this.#turns.delete(key);
    }
  }

  /** At how many VIMs somebody looks. */
  get vims(): number {
    return this.#turns.size;
  }
}
