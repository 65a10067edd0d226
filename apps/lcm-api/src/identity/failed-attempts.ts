import { isIPv6 } from 'node:net';
import { minutes, type Duration } from '@windlass/foundation';
import { LRUCache } from 'lru-cache';

/** How many addresses are counted. Where there are more, those whose failure is oldest are forgotten. */
const MAX_ADDRESSES = 10_000;
/** How long good credentials are let in from an address that failures of others have closed. */
const GOOD_FOR: Duration = minutes(10);
const WINDOW: Duration = minutes(1);

/** Checks of credentials from one address that have not ended yet. */
interface Checks {
  /** How many checks are under way, by credentials: the same guess sent many times counts as one. */
  readonly underWay: Map<string, number>;
  /** Further checks that wait, because each would be one too many if all checks under way failed. */
  readonly waiting: (() => void)[];
}

/** The result of a check: whether the credentials are known. Undefined where that could not be found out. */
export type Known = boolean | undefined;

/**
 * Counts failed logins by address, and closes an address that fails too often until its minute is over. A check counts from its beginning: of a
 * thousand guesses at once no more are checked than of a thousand one after another.
 */
export class FailedAttempts {
  readonly #failed: LRUCache<string, { count: number }>;
  readonly #good: LRUCache<string, true>;
  readonly #checks = new Map<string, Checks>();

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
   * For how long credentials are not checked, in milliseconds; 0 where they are. Credentials that were good before from this address are always
   * checked: a guesser locks nobody out.
   */
  closedFor(address: string | null, digest: string): Duration {
    const key = networkOf(address);
    if ((this.#failed.peek(key)?.count ?? 0) < this.most || this.#good.peek(`${key} ${digest}`) === true) return 0 as Duration;
    return this.#failed.getRemainingTTL(key) as Duration;
  }

  /**
   * Waits until the credentials may be checked, behind checks under way where all of those could fail.
   * @returns a function to call with the check's result; or for how long no check is allowed
   */
  async begin(address: string | null, digest: string): Promise<((known: Known) => void) | Duration> {
    const key = networkOf(address);
    for (;;) {
      const closed = this.closedFor(address, digest);
      if (closed > 0) return closed;
      const checks = this.#checks.get(key) ?? { underWay: new Map<string, number>(), waiting: [] };
      const allowed = this.most - (this.#failed.peek(key)?.count ?? 0);
      if (checks.underWay.has(digest) || checks.underWay.size < allowed || this.#good.peek(`${key} ${digest}`) === true) {
        this.#checks.set(key, checks);
        checks.underWay.set(digest, (checks.underWay.get(digest) ?? 0) + 1);
        return (known) => this.#ended(address, digest, known);
      }
      await new Promise<void>((resolve) => checks.waiting.push(resolve));
    }
  }

  #ended(address: string | null, digest: string, known: Known): void {
    if (known === true) this.succeeded(address, digest);
    if (known === false) this.failed(address, digest);
    const key = networkOf(address);
    const checks = this.#checks.get(key);
    if (checks === undefined) return;
    const left = (checks.underWay.get(digest) ?? 1) - 1;
    if (left > 0) checks.underWay.set(digest, left);
    else checks.underWay.delete(digest);
    // After a failure there may be no room for any of those that wait, so all are woken to find out.
    for (const wake of checks.waiting.splice(0, known === false ? checks.waiting.length : 1)) wake();
    // Whoever is woken finds those that still wait here, and wakes the next.
    if (checks.underWay.size === 0 && checks.waiting.length === 0) this.#checks.delete(key);
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

/** The network that counts as one address: an owner of an IPv6 address has the 2^64 addresses of its network. */
function networkOf(address: string | null): string {
  if (address === null || !isIPv6(address)) return address ?? '';
  const [head = '', tail = ''] = address.split('::', 2);
  const [before, after] = [head, tail].map((part) => part.split(':').filter((group) => group !== '')) as [string[], string[]];
  const missing = address.includes('::') ? 8 - before.length - after.length : 0;
  return [...before, ...Array<string>(missing).fill('0'), ...after].slice(0, 4).join(':');
}
