import { describe, expect, it } from 'vitest';
import { UsualTimes } from './usual-times.js';

describe('how long waits of a kind take', () => {
  it('lies between the look that did not show the end and the one that did', () => {
    const times = new UsualTimes();
    expect(times.of('CREATE a')).toBeUndefined();
    times.ended('CREATE a', 2_000, 2_500);
    expect(times.of('CREATE a')).toBe(2_250);
    expect(times.of('CREATE b')).toBeUndefined();
  });

  it('is the median of the last five, so that one slow stack changes nothing and a slower cloud does', () => {
    const times = new UsualTimes();
    for (const took of [2_000, 2_100, 60_000, 2_200]) times.ended('DELETE', took, took);
    expect(times.of('DELETE')).toBe(2_100);
    for (let n = 0; n < 5; n++) times.ended('DELETE', 9_000, 9_000);
    expect(times.of('DELETE')).toBe(9_000);
  });

  it('is known of 500 kinds: those that nobody has waited for the longest are forgotten', () => {
    const times = new UsualTimes();
    for (let kind = 0; kind < 500; kind++) times.ended(`CREATE ${kind}`, kind, kind);
    times.ended('CREATE 0', 0, 0);
    times.ended('CREATE new', 7, 7);
    expect(times.of('CREATE 0')).toBe(0);
    expect(times.of('CREATE 1')).toBeUndefined();
    expect(times.of('CREATE 2')).toBe(2);
    expect(times.of('CREATE new')).toBe(7);
  });
});
