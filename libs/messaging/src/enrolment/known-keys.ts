import { seconds } from '@windlass/foundation';
import type { KeyRefusal } from './enrolment-contract.js';
import type { EnrolmentStore, WorkerKey } from './enrolment-store.js';

/**
 * How long a key that was found is trusted without looking again: a revocation holds everywhere after it. Time is the only invalidation that
 * needs no connection to work; a busy coordinator so asks once a second for each key instead of once a claim.
 */
const TRUSTED_FOR = seconds(1);
/** More keys than any deployment has replicas; beyond, the oldest looks are forgotten. */
const MAX_KEYS = 1_000;

/** The enrolled keys as a coordinator asks for them at each claim. */
export class KnownKeys {
  readonly #looks = new Map<string, { at: number; found: Promise<WorkerKey | undefined> }>();

  constructor(private readonly store: Pick<EnrolmentStore, 'key'>) {}

  /** The key if it is enrolled for this service now, or why it is not taken. */
  async of(service: string, keyId: string): Promise<WorkerKey | KeyRefusal> {
    const key = await this.#look(keyId);
    if (key === undefined) return 'unknown-key';
    if (key.service !== service) return 'key-of-another-service';
    return key.revoked ? 'key-revoked' : key;
  }

  async #look(keyId: string): Promise<WorkerKey | undefined> {
    const now = performance.now();
    const known = this.#looks.get(keyId);
    if (known !== undefined && now - known.at < TRUSTED_FOR) return known.found;
    const found = this.store.key(keyId);
    this.#looks.delete(keyId);
    this.#looks.set(keyId, { at: now, found });
    for (const oldest of this.#looks.keys()) if (this.#looks.size > MAX_KEYS) this.#looks.delete(oldest);
    try {
      const key = await found;
      // An unknown key may be enrolled in the next moment.
      if (key === undefined) this.#forget(keyId, found);
      return key;
    } catch (error) {
      this.#forget(keyId, found);
      throw error;
    }
  }

  #forget(keyId: string, found: Promise<WorkerKey | undefined>): void {
    if (this.#looks.get(keyId)?.found === found) this.#looks.delete(keyId);
  }
}
