import { seconds } from '@windlass/foundation';
import type { EnrolmentStore, WorkerKey } from '../enrolment/enrolment-store.js';

/** How long keys are trusted after they were read; coordinators trust the key of a claim as long. After this time a revocation holds everywhere. */
const TRUSTED_FOR = seconds(1);
const MAX_SERVICES = 200;

/** The keys of a driver's service, for readers of its answers. The store is asked once a second and service, and again where a key is unknown. */
export class KnownDriverKeys {
  readonly #looks = new Map<string, { at: number; found: Promise<ReadonlyMap<string, WorkerKey>> }>();

  constructor(private readonly store: Pick<EnrolmentStore, 'keysOf'>) {}

  /** The keys by their ids, revoked keys too. `anew`: the store is asked again, whatever was found before. */
  async of(service: string, anew = false): Promise<ReadonlyMap<string, WorkerKey>> {
    const known = this.#looks.get(service);
    if (!anew && known !== undefined && performance.now() - known.at < TRUSTED_FOR) return known.found;
    const found = this.store.keysOf(service).then((keys) => new Map(keys.map((key) => [key.id, key])));
    this.#looks.delete(service);
    this.#looks.set(service, { at: performance.now(), found });
    for (const oldest of this.#looks.keys()) if (this.#looks.size > MAX_SERVICES) this.#looks.delete(oldest);
    try {
      return await found;
    } catch (error) {
      if (this.#looks.get(service)?.found === found) this.#looks.delete(service);
      throw error;
    }
  }
}
