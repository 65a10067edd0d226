import { minutes } from '@windlass/foundation';

/** Entries a minute for clients without an identity: anybody can cause refusals, and must not fill the disk with them. */
const A_MINUTE = 60;
/** Of these, entries for one address, so that a flood from one place leaves room for others. */
const FOR_ONE = 20;

/** Lets so many refusals of clients that are not authenticated into the trail, and counts the others. The next entry says how many. */
export class UnauthenticatedQuota {
  #minute = -1;
  #taken = 0;
  #unrecorded = 0;
  /** At most {@link A_MINUTE} of them. */
  readonly #byAddress = new Map<string | null, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Undefined where this refusal gets no entry; else how many refusals got none since the last entry. */
  take(address: string | null): number | undefined {
    const minute = Math.floor(this.now() / minutes(1));
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#taken = 0;
      this.#byAddress.clear();
    }
    const ofThis = this.#byAddress.get(address) ?? 0;
    if (this.#taken >= A_MINUTE || ofThis >= FOR_ONE) {
      this.#unrecorded++;
      return undefined;
    }
    this.#taken++;
    this.#byAddress.set(address, ofThis + 1);
    const before = this.#unrecorded;
    this.#unrecorded = 0;
    return before;
  }
}
