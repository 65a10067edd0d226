import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LookTimes } from './look-times.js';
import type { StackLooks } from './stack-looks.js';
import { STACK_PACE } from './stack-watch.js';
import { UsualTimes } from './usual-times.js';

const KIND = 'CREATE a';

describe('what is read shortly before the end of a stack', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** When it was called, in milliseconds after the wait began, of a wait that takes so long and asks for the call after `asked`. */
  async function called(took: number, { usual, asked }: { usual: number | undefined; asked: number[] }): Promise<number[]> {
    const times = new UsualTimes();
    if (usual !== undefined) times.ended(KIND, 1, usual, usual);
    const watch = { pace: STACK_PACE, usual: times, enter: () => () => undefined, atOnce: 1 } as unknown as StackLooks;
    const calls: number[] = [];
    const wait = LookTimes.during(watch, KIND, async (looks) => {
      for (const at of asked) setTimeout(() => looks.shortlyBefore(() => void calls.push(performance.now() - looks.since)), at);
      await new Promise((resolve) => setTimeout(resolve, took));
    });
    await vi.advanceTimersByTimeAsync(60_000);
    await wait;
    return calls.map(Math.round);
  }

  it('is read a tenth of the usual time before, a second at most, however often that was asked for', async () => {
    expect(await called(5_000, { usual: 5_000, asked: [2_500] })).toEqual([4_500]);
    expect(await called(5_000, { usual: 5_000, asked: [1_000, 3_000] })).toEqual([4_500]);
    expect(await called(40_000, { usual: 40_000, asked: [20_000] })).toEqual([39_000]);
  });

  it('is not read before its time, nor of a stack that has ended sooner, or of which nobody knows the usual time', async () => {
    expect(await called(4_000, { usual: 5_000, asked: [2_500] })).toEqual([]);
    expect(await called(9_000, { usual: 5_000, asked: [6_000] })).toEqual([]);
    expect(await called(9_000, { usual: undefined, asked: [2_500] })).toEqual([]);
  });
});
