import { minutes } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { StrangerQuota } from './stranger-quota.js';

describe('refusals of strangers', () => {
  it('go into the trail up to so many a minute; the next minute’s first tells how many did not', () => {
    let now = 0;
    const quota = new StrangerQuota(() => now);
    const taken = Array.from({ length: 100 }, () => quota.take());
    expect(taken.filter((entry) => entry === 0)).toHaveLength(60);
    expect(taken.slice(60)).toEqual(Array.from({ length: 40 }, () => undefined));
    now = minutes(1);
    expect([quota.take(), quota.take()]).toEqual([40, 0]);
  });
});
