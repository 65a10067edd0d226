import { isIPv6 } from 'node:net';
import { minutes, type Duration } from '@windlass/foundation';
import { ExpiringMap } from './expiring-map.js';

/** Addresses that are counted at once; those that failed longest ago are forgotten where there are more. */
const MAX_ADDRESSES = 10_000;
/** Credentials that were good are let in for so long from an address that others of it had closed. */
const GOOD_FOR: Duration = minutes(10);
const WINDOW: Duration = minutes(1);

/** Counts who fails to say who they are, by address, and closes an address that fails too often until its minute is over. */
export class FailedAttempts {
  readonly #failed: ExpiringMap<{ count: number }>;
  readonly #good: ExpiringMap<true>;

  /** @param most failures a minute from one address */
  constructor(
    private readonly most: number,
    now?: () => number,
  ) {
    this.#failed = new ExpiringMap(MAX_ADDRESSES, now);
    this.#good = new ExpiringMap(MAX_ADDRESSES, now);
  }

  /**
   * How long credentials are not looked at, in milliseconds; 0 where they are. Those that were good from there before are: whoever guesses
   * shuts nobody out.
   */
  closedFor(address: string | null, digest: string): Duration {
    const key = networkOf(address);
    if ((this.#failed.get(key)?.count ?? 0) < this.most || this.#good.get(`${key} ${digest}`) === true) return 0 as Duration;
    return this.#failed.remaining(key) as Duration;
  }

  failed(address: string | null, digest: string): void {
    const key = networkOf(address);
    this.#good.delete(`${key} ${digest}`);
    const counted = this.#failed.get(key);
    if (counted === undefined) this.#failed.set(key, { count: 1 }, WINDOW);
    else counted.count++;
  }

  succeeded(address: string | null, digest: string): void {
    this.#good.set(`${networkOf(address)} ${digest}`, true, GOOD_FOR);
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
