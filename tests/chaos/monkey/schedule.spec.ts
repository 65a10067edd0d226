import { describe, expect, it } from 'vitest';
import { LEASE } from '../stage/lease.js';
import { strikes } from './schedule.js';

const take = (seed: number, count: number) => {
  const all = strikes(seed, ['lcm-api', 'infra-driver-1', 'infra-driver-2']);
  return Array.from({ length: count }, () => all.next().value);
};

describe('the schedule of the monkey', () => {
  it('is the same for the same seed, and another one for another', () => {
    expect(take(42, 100)).toEqual(take(42, 100));
    expect(take(42, 100)).not.toEqual(take(43, 100));
  });

  it('strikes everyone and everything, and pauses for longer than a lease', () => {
    const strikesOf = take(42, 400);
    const kinds = strikesOf.map((strike) => (strike.kind === 'restart-nats' ? `${strike.kind} ${strike.wiped}` : strike.kind));
    expect(new Set(kinds)).toEqual(new Set(['kill', 'pause', 'restart-postgres', 'restart-nats true', 'restart-nats false']));
    const victims = strikesOf.flatMap((strike) => (strike.kind === 'kill' ? [strike.victim] : []));
    expect(new Set(victims)).toEqual(new Set(['lcm-api', 'infra-driver-1', 'infra-driver-2']));
    for (const strike of strikesOf) if (strike.kind === 'pause') expect(strike.forMs).toBeGreaterThan(LEASE);
  });
});
