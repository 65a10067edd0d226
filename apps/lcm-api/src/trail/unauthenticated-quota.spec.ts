import { minutes } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { UnauthenticatedQuota } from './unauthenticated-quota.js';

describe('refusals of clients that are not authenticated', () => {
  it('go into the trail up to so many a minute; the next minute’s first tells how many did not', () => {
    let now = 0;
    const quota = new UnauthenticatedQuota(() => now);
    const taken = Array.from({ length: 100 }, (_, n) => quota.take(`192.0.2.${n % 5}`));
    expect(taken.filter((entry) => entry === 0)).toHaveLength(60);
    expect(taken.slice(60)).toEqual(Array.from({ length: 40 }, () => undefined));
    now = minutes(1);
    expect([quota.take('192.0.2.1'), quota.take('192.0.2.1')]).toEqual([40, 0]);
  });

  it('of one address are a third of them at most, so that others are seen beside it', () => {
    const quota = new UnauthenticatedQuota(() => 0);
    const flood = Array.from({ length: 500 }, () => quota.take('192.0.2.1'));
    expect(flood.filter((entry) => entry !== undefined)).toHaveLength(20);
    expect([quota.take('192.0.2.2'), quota.take('192.0.2.2'), quota.take(null)]).toEqual([480, 0, 0]);
  });
});
