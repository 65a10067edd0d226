import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { millis, seconds } from './duration.js';
import { waitUntil } from './wait-until.js';

/** Looks that take a time; when each began and ended. */
function looksOf(took: number, count: number): { looks: { from: number; to: number }[]; look: () => Promise<true | undefined> } {
  const looks: { from: number; to: number }[] = [];
  return {
    looks,
    look: async () => {
      const from = performance.now();
      await pause(took);
      looks.push({ from, to: performance.now() });
      return looks.length === count ? true : undefined;
    },
  };
}

describe('waiting', () => {
  it('rests for so many times as long as a look took, where that is longer than the pause', async () => {
    const { looks, look } = looksOf(30, 3);
    await waitUntil(look, { for: 'the third look', within: seconds(20), every: millis(1), restFactor: 4 });
    const [first, second, third] = looks;
    expect(second!.from - first!.to).toBeGreaterThanOrEqual(4 * 29);
    expect(third!.from - second!.to).toBeGreaterThanOrEqual(4 * 29);
  });

  it('rests no longer than the longest pause, however long a look took', async () => {
    const { looks, look } = looksOf(100, 2);
    await waitUntil(look, {
      for: 'the second look',
      within: seconds(60),
      every: millis(1),
      atMost: millis(20),
      restFactor: 1_000,
    });
    expect(looks[1]!.from - looks[0]!.to).toBeLessThan(20_000);
  });

  it('never rests beyond its time, however long a look took', async () => {
    const began = performance.now();
    const waiting = waitUntil(() => pause(100, undefined), {
      for: 'what never comes',
      // eslint-disable-next-line no-restricted-syntax -- its end is what is looked at
      within: millis(150),
      every: millis(1),
      restFactor: 1_000,
    });
    await expect(waiting).rejects.toMatchObject({ code: 'wait.timeout' });
    expect(performance.now() - began).toBeLessThan(30_000);
  });
});
