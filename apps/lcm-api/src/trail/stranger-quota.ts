import { minutes } from '@windlass/foundation';

/** Entries a minute for those who could not say who they are: anyone can make refusals, nobody shall fill the disk with them. */
const A_MINUTE = 60;

/** Lets so many refusals of strangers into the trail, and counts the others, so that the next entry tells of them. */
export class StrangerQuota {
  #minute = -1;
  #taken = 0;
  #unrecorded = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Undefined where this one stays out; else how many stayed out since the last that did not. */
  take(): number | undefined {
    const minute = Math.floor(this.now() / minutes(1));
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#taken = 0;
    }
    if (this.#taken >= A_MINUTE) {
      this.#unrecorded++;
      return undefined;
    }
    this.#taken++;
    const before = this.#unrecorded;
    this.#unrecorded = 0;
    return before;
  }
}
