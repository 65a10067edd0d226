import { describe, expect, it } from 'vitest';
import { ExpiringMap } from './expiring-map.js';
import { FailedAttempts } from './failed-attempts.js';
import { RequestRates } from './request-rates.js';
import { seconds } from '@windlass/foundation';

describe('failed attempts from one address', () => {
  it('close it until its minute is over, and no other', () => {
    let now = 0;
    const attempts = new FailedAttempts(3, () => now);
    for (let n = 0; n < 3; n++) {
      expect(attempts.closedFor('192.0.2.1', `try ${n}`)).toBe(0);
      attempts.failed('192.0.2.1', `try ${n}`);
    }
    now = 20_000;
    expect(attempts.closedFor('192.0.2.1', 'the next')).toBe(40_000);
    expect(attempts.closedFor('192.0.2.2', 'the next')).toBe(0);
    now = 60_000;
    expect(attempts.closedFor('192.0.2.1', 'the next')).toBe(0);
  });

  it('shut nobody out whose credentials were good from there before', () => {
    const attempts = new FailedAttempts(1, () => 0);
    attempts.succeeded('192.0.2.1', 'good');
    attempts.failed('192.0.2.1', 'guess');
    expect(attempts.closedFor('192.0.2.1', 'good')).toBe(0);
    expect(attempts.closedFor('192.0.2.1', 'another guess')).toBeGreaterThan(0);
    attempts.failed('192.0.2.1', 'good');
    expect(attempts.closedFor('192.0.2.1', 'good')).toBeGreaterThan(0);
  });

  it('count for the whole of an IPv6 network, however its addresses are written', () => {
    const attempts = new FailedAttempts(1, () => 0);
    attempts.failed('2001:db8::1', 'guess');
    expect(attempts.closedFor('2001:db8:0:0:ffff::2', 'guess')).toBeGreaterThan(0);
    expect(attempts.closedFor('2001:db8:0:1::1', 'guess')).toBe(0);
  });

  it('are counted for many addresses in bounded memory', () => {
    const map = new ExpiringMap<number>(3, () => 0);
    for (let n = 0; n < 10; n++) map.set(`a${n}`, n, seconds(60));
    expect([...Array(10).keys()].map((n) => map.get(`a${n}`)).filter((each) => each !== undefined)).toEqual([7, 8, 9]);
  });
});

describe('requests of one identity', () => {
  it('may come twice as many at once as a second brings, then as fast as they are allowed', () => {
    let now = 0;
    const rates = new RequestRates(5, () => now);
    const anna = { tenant: 'p1', user: 'anna' };
    expect(Array.from({ length: 11 }, () => rates.take(anna))).toEqual([...Array<number>(10).fill(0), 200]);
    expect(rates.take({ tenant: 'p2', user: 'anna' })).toBe(0);
    now = 200;
    expect([rates.take(anna), rates.take(anna)]).toEqual([0, 200]);
  });
});
