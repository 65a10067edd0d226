import { describe, expect, it } from 'vitest';
import { UsualTimes } from './usual-times.js';

describe('how long waits of a kind take', () => {
  it('lies between the look that did not show the end and the one that did', () => {
    const times = new UsualTimes();
    expect(times.of('CREATE a', 1)).toBeUndefined();
    times.ended('CREATE a', 1, 2_000, 2_500);
    expect(times.of('CREATE a', 1)).toEqual({ from: 2_250, to: 2_250 });
    expect(times.of('CREATE b', 1)).toBeUndefined();
  });

  it('is what it was where no look says otherwise: the first that was sent showed the end, and it may have come long before', () => {
    const times = new UsualTimes();
    times.ended('DELETE', 1, 1_500, 1_700);
    times.ended('DELETE', 1, 0, 1_650);
    expect(times.of('DELETE', 1)).toEqual({ from: 1_600, to: 1_600 });
    times.ended('DELETE', 1, 0, 1_500);
    times.ended('DELETE', 1, 0, 1_500);
    expect(times.of('DELETE', 1)?.from).toBe(1_500);
  });

  it('lies around the median of the last five, so that one slow or quick stack changes nothing and a slower cloud does', () => {
    const times = new UsualTimes();
    for (const took of [2_000, 2_100, 60_000, 2_200, 10]) times.ended('DELETE', 1, took, took);
    expect(times.of('DELETE', 1)).toEqual({ from: 2_000, to: 2_200 });
    for (let n = 0; n < 5; n++) times.ended('DELETE', 1, 9_000, 9_000);
    expect(times.of('DELETE', 1)).toEqual({ from: 9_000, to: 9_000 });
  });

  it('is another one beside others: a stack among ten takes longer than one alone, and neither is expected by the other', () => {
    const times = new UsualTimes();
    times.ended('CREATE a', 1, 4_000, 4_000);
    times.ended('CREATE a', 10, 40_000, 40_000);
    expect([1, 2, 3, 10, 16].map((atOnce) => times.of('CREATE a', atOnce)?.from)).toEqual([
      4_000,
      undefined,
      undefined,
      40_000,
      40_000,
    ]);
  });

  it('is known of 500 kinds: those that nobody has waited for the longest are forgotten', () => {
    const times = new UsualTimes();
    for (let kind = 0; kind < 500; kind++) times.ended(`CREATE ${kind}`, 1, kind, kind);
    times.ended('CREATE 0', 1, 0, 0);
    times.ended('CREATE new', 1, 7, 7);
    expect(times.of('CREATE 0', 1)).toBeDefined();
    expect(times.of('CREATE 1', 1)).toBeUndefined();
    expect(times.of('CREATE 2', 1)).toEqual({ from: 2, to: 2 });
    expect(times.of('CREATE new', 1)).toEqual({ from: 7, to: 7 });
  });
});
