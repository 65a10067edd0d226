import type { Duration } from '@windlass/foundation';
import type { Identity } from '../caller/identity.js';

/** Identities that are counted at once. */
const MAX_KEPT = 10_000;
/** How much may come at once after a pause, in seconds of the rate. */
const BURST = 2;

/** Requests that one identity may send: so many a second, and twice as many at once after a pause. A replica counts its own. */
export class RequestRates {
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes one request in. @returns how long to wait before the next try; 0 where it is taken */
  take({ tenant, user }: Pick<Identity, 'tenant' | 'user'>): Duration {
    const key = `${tenant.length} ${tenant} ${user}`;
    const now = this.now();
    const full = Math.max(1, this.perSecond * BURST);
    const bucket = this.#buckets.get(key) ?? { left: full, at: now };
    const left = Math.min(full, bucket.left + ((now - bucket.at) / 1_000) * this.perSecond);
    const taken = left >= 1;
    this.#buckets.delete(key);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size >= MAX_KEPT && oldest !== undefined) this.#buckets.delete(oldest);
    this.#buckets.set(key, { left: taken ? left - 1 : left, at: now });
    return (taken ? 0 : ((1 - left) / this.perSecond) * 1_000) as Duration;
  }
}
