import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FailedAttempts } from './failed-attempts.js';
import { RequestRates } from './request-rates.js';

describe('failed attempts from one address', () => {
  it('close it until its minute is over, and no other', () => {
    let now = 1_000;
    const attempts = new FailedAttempts(3, () => now);
    for (let n = 0; n < 3; n++) {
      expect(attempts.closedFor('192.0.2.1', `try ${n}`)).toBe(0);
      attempts.failed('192.0.2.1', `try ${n}`);
    }
    now = 21_000;
    expect(attempts.closedFor('192.0.2.1', 'the next')).toBe(40_000);
    expect(attempts.closedFor('192.0.2.2', 'the next')).toBe(0);
    now = 61_000;
    expect(attempts.closedFor('192.0.2.1', 'the next')).toBe(0);
  });

  it('shut nobody out whose credentials were good from there before', () => {
    const attempts = new FailedAttempts(1, () => 1_000);
    attempts.succeeded('192.0.2.1', 'good');
    attempts.failed('192.0.2.1', 'guess');
    expect(attempts.closedFor('192.0.2.1', 'good')).toBe(0);
    expect(attempts.closedFor('192.0.2.1', 'another guess')).toBeGreaterThan(0);
    attempts.failed('192.0.2.1', 'good');
    expect(attempts.closedFor('192.0.2.1', 'good')).toBeGreaterThan(0);
  });

  it('count for the whole of an IPv6 network, however its addresses are written', () => {
    const attempts = new FailedAttempts(1, () => 1_000);
    attempts.failed('2001:db8::1', 'guess');
    expect(attempts.closedFor('2001:db8:0:0:ffff::2', 'guess')).toBeGreaterThan(0);
    expect(attempts.closedFor('2001:db8:0:1::1', 'guess')).toBe(0);
  });

  /** Begins a look at each, and says which of them were let in so far. */
  function looks(attempts: FailedAttempts, digests: readonly string[]) {
    const seen = digests.map((digest) => ({
      digest,
      begun: undefined as Awaited<ReturnType<FailedAttempts['begin']>> | undefined,
    }));
    for (const look of seen) void attempts.begin('192.0.2.1', look.digest).then((begun) => (look.begun = begun));
    const end = (digest: string, known: boolean | undefined): void => {
      const look = seen.find((each) => each.digest === digest && typeof each.begun === 'function');
      if (typeof look?.begun !== 'function') throw new Error(`${digest} was not let in`);
      look.begun(known);
    };
    const within = async (): Promise<string[]> => {
      await setImmediate();
      return seen.filter(({ begun }) => typeof begun === 'function').map(({ digest }) => digest);
    };
    return { end, within, refused: () => seen.filter(({ begun }) => typeof begun === 'number').map(({ digest }) => digest) };
  }

  it('count from when the look begins: of many guesses at once no more are looked at than one after the other', async () => {
    const attempts = new FailedAttempts(3, () => 1_000);
    const guesses = Array.from({ length: 2_000 }, (_, n) => `guess ${n}`);
    const { end, within, refused } = looks(attempts, guesses);
    expect(await within()).toEqual(guesses.slice(0, 3));
    for (const guess of guesses.slice(0, 3)) end(guess, false);
    expect(await within()).toEqual(guesses.slice(0, 3));
    expect(refused()).toEqual(guesses.slice(3));
  });

  it('let everybody in, in turn, who is known, or who could not be looked at', async () => {
    const tokens = ['a', 'b', 'c', 'd', 'e'];
    const { end, within, refused } = looks(new FailedAttempts(2, () => 1_000), tokens);
    expect(await within()).toEqual(['a', 'b']);
    end('a', true);
    expect(await within()).toEqual(['a', 'b', 'c']);
    end('b', undefined);
    end('c', false);
    expect(await within()).toEqual(['a', 'b', 'c', 'd']);
    end('d', true);
    expect(await within()).toEqual(tokens);
    expect(refused()).toEqual([]);
  });

  it.each([true, undefined])('let the next in where no other look is under way any more (%s)', async (known) => {
    const tokens = ['a', 'b', 'c', 'd'];
    const { end, within } = looks(new FailedAttempts(1, () => 1_000), tokens);
    for (const [at, token] of tokens.entries()) {
      expect(await within()).toEqual(tokens.slice(0, at + 1));
      end(token, known);
    }
  });

  it('count the same credentials once, however many requests at once bring them', async () => {
    const requests = Array.from({ length: 100 }, () => 'the same');
    const { within } = looks(new FailedAttempts(1, () => 1_000), requests);
    expect(await within()).toEqual(requests);
  });

  it('are counted for ten thousand addresses: those that failed first are forgotten for more', () => {
    const attempts = new FailedAttempts(1, () => 1_000);
    for (let n = 0; n < 10_001; n++) attempts.failed(`a${n}`, 'guess');
    expect([0, 1, 10_000].map((n) => attempts.closedFor(`a${n}`, 'another') > 0)).toEqual([false, true, true]);
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
