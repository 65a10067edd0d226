import { Random } from '../random.js';
import { LEASE } from '../stage/lease.js';

/** One strike, and its victim. */
export type Strike = { n: number } & (
  | { kind: 'kill'; victim: string }
  /** Stops the process for longer than its leases: it comes back with steps that others have taken over. */
  | { kind: 'pause'; victim: string; forMs: number }
  | { kind: 'restart-postgres' }
  | { kind: 'restart-nats'; wiped: boolean }
);

/** The time between two strikes, in milliseconds. */
export const STRIKE_EVERY = 2_000;
/**
 * So many processes and servers may be down at once. On two quiet cores, a victim is back before the next strike
 * comes. Where a service takes half a minute to start, a fixed clock would leave nothing at work that a strike could hit.
 */
export const MAX_DOWN = 3;

/**
 * The endless strikes of a seed. The same seed makes the same decisions; when a strike comes, and what it hits in the
 * middle of, depends on the machine's speed.
 */
export function* strikes(seed: number, victims: readonly [string, ...string[]]): Generator<Strike, never> {
  const random = Random.of(seed, 'monkey');
  for (let n = 1; ; n += 1) yield strike(random.below(`strike ${n}`), n, victims);
}

function strike(random: Random, n: number, victims: readonly [string, ...string[]]): Strike {
  const victim = random.below('victim').pick(victims);
  const forMs = LEASE + random.below('pause').whole(1_000, 3_000);
  return random.below('kind').weighted<Strike>([
    [62, { n, kind: 'kill', victim }],
    [16, { n, kind: 'pause', victim, forMs }],
    [11, { n, kind: 'restart-postgres' }],
    [7, { n, kind: 'restart-nats', wiped: false }],
    [4, { n, kind: 'restart-nats', wiped: true }],
  ]);
}
