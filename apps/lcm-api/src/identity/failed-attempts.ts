import { isIPv6 } from 'node:net';
import { minutes, type Duration } from '@windlass/foundation';
import { LRUCache } from 'lru-cache';

/** Addresses that are counted at once; those that failed longest ago are forgotten where there are more. */
const MAX_ADDRESSES = 10_000;
/** Credentials that were good are let in for so long from an address that others of it had closed. */
const GOOD_FOR: Duration = minutes(10);
const WINDOW: Duration = minutes(1);

/** Looks at credentials from one address that have not ended yet. */
interface Looks {
  /** How many are at the same credentials: whoever guesses once, however often they send it, has guessed once. */
  readonly underWay: Map<string, number>;
  /** Others, each of which would be one too many if all under way failed. */
  readonly waiting: (() => void)[];
}

/** What became of a look. Undefined: nobody could be asked. */
export type Known = boolean | undefined;

/**
 * Counts who fails to say who they are, by address, and closes an address that fails too often until its minute is over. A look counts from when it
 * begins: of a thousand guesses at once no more are looked at than of a thousand one after the other.
 */
export class FailedAttempts {
  readonly #failed: LRUCache<string, { count: number }>;
  readonly #good: LRUCache<string, true>;
  readonly #looks = new Map<string, Looks>();

  /**
   * @param most failures a minute from one address
   * @param now milliseconds of a clock that only goes forward, above 0
   */
  constructor(
    private readonly most: number,
    now: () => number = () => performance.now(),
  ) {
    const kept = { max: MAX_ADDRESSES, ttlResolution: 0, perf: { now } };
    this.#failed = new LRUCache({ ...kept, ttl: WINDOW });
    this.#good = new LRUCache({ ...kept, ttl: GOOD_FOR });
  }

  /**
   * How long credentials are not looked at, in milliseconds; 0 where they are. Those that were good from there before are: whoever guesses
   * shuts nobody out.
   */
  closedFor(address: string | null, digest: string): Duration {
    const key = networkOf(address);
    if ((this.#failed.peek(key)?.count ?? 0) < this.most || this.#good.peek(`${key} ${digest}`) === true) return 0 as Duration;
    return this.#failed.getRemainingTTL(key) as Duration;
  }

  /**
   * Waits until the credentials may be looked at, behind looks that are under way where all of those could fail.
   * @returns what is to be called with what came of the look; or how long none is allowed
   */
  async begin(address: string | null, digest: string): Promise<((known: Known) => void) | Duration> {
    const key = networkOf(address);
    for (;;) {
      const closed = this.closedFor(address, digest);
      if (closed > 0) return closed;
      const looks = this.#looks.get(key) ?? { underWay: new Map<string, number>(), waiting: [] };
      const allowed = this.most - (this.#failed.peek(key)?.count ?? 0);
      if (looks.underWay.has(digest) || looks.underWay.size < allowed || this.#good.peek(`${key} ${digest}`) === true) {
        this.#looks.set(key, looks);
        looks.underWay.set(digest, (looks.underWay.get(digest) ?? 0) + 1);
        return (known) => this.#ended(address, digest, known);
      }
      await new Promise<void>((resolve) => looks.waiting.push(resolve));
    }
  }

  #ended(address: string | null, digest: string, known: Known): void {
    if (known === true) this.succeeded(address, digest);
    if (known === false) this.failed(address, digest);
    const key = networkOf(address);
    const looks = this.#looks.get(key);
    if (looks === undefined) return;
    const left = (looks.underWay.get(digest) ?? 1) - 1;
    if (left > 0) looks.underWay.set(digest, left);
    else looks.underWay.delete(digest);
    // After a failure there may be no room any more, for any of them.
    for (const wake of looks.waiting.splice(0, known === false ? looks.waiting.length : 1)) wake();
    // Whoever is woken finds those that still wait here, and wakes the next.
    if (looks.underWay.size === 0 && looks.waiting.length === 0) this.#looks.delete(key);
  }

  failed(address: string | null, digest: string): void {
    const key = networkOf(address);
    this.#good.delete(`${key} ${digest}`);
    const counted = this.#failed.peek(key);
    if (counted === undefined) this.#failed.set(key, { count: 1 });
    else counted.count++;
  }

  succeeded(address: string | null, digest: string): void {
    this.#good.set(`${networkOf(address)} ${digest}`, true);
  }
}

/** One who has an IPv6 address has the 2^64 of its network. */
function networkOf(address: string | null): string {
  if (address === null || !isIPv6(address)) return address ?? '';
  const [head = '', tail = ''] = address.split('::', 2);
  const [before, after] = [head, tail].map((part) => part.split(':').filter((group) => group !== '')) as [string[], string[]];
  const missing = address.includes('::') ? 8 - before.length - after.length : 0;
  return [...before, ...Array<string>(missing).fill('0'), ...after].slice(0, 4).join(':');
}
