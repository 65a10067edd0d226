import { Random } from '../random.js';
import { LEASE } from '../stage/times.js';

/** What the monkey does to whom. */
export type Strike = { n: number } & (
  | { kind: 'kill'; victim: string }
  /** Takes the processor from it for longer than its leases, so that it comes back believing in what others hold by now. */
  | { kind: 'pause'; victim: string; forMs: number }
  | { kind: 'restart-postgres' }
  | { kind: 'restart-nats'; wiped: boolean }
);

/** Between two strikes, in milliseconds. */
export const STRIKE_EVERY = 2_000;
/**
 * So many of the processes and servers may be down at once. On two cores that do nothing else, what was hit is back before the next strike
 * comes; where a service takes half a minute to start, a fixed clock would leave nothing standing that could be hit in the middle of its work.
 */
export const MAX_DOWN = 3;

/**
 * The strikes of a seed, in their order and without end. The same seed makes the same decisions; when each comes, and what it hits in the
 * middle of, depends on how fast the machine is.
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
