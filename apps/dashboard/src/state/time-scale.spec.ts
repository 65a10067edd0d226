import { describe, expect, it } from 'vitest';
import { step } from '../testing/steps.js';
import { placeOf, timeAt, timeScaleOf } from './time-scale.js';

const at = (second: number): string => new Date(1_000_000_000_000 + second * 1_000).toISOString();
const ms = (second: number): number => Date.parse(at(second));
const ran = (id: string, from: number, until: number | null) =>
  step(id, { startedAt: at(from), endedAt: until === null ? null : at(until), state: until === null ? 'running' : 'done' });

describe('a long wait', () => {
  // Ten seconds of work, a night of nothing, ten of work.
  const night = [ran('a', 0, 10), ran('b', 36_000, 36_010)];

  it('is folded, and takes no room from what happened', () => {
    const scale = timeScaleOf(night, at(0), ms(36_010), true);
    expect(scale.stretches.map(({ isFolded, isBusy }) => [isFolded, isBusy])).toEqual([
      [false, true],
      [true, false],
      [false, true],
    ]);
    expect(placeOf(scale, ms(10))).toBeCloseTo(47);
    expect(placeOf(scale, ms(36_000))).toBeCloseTo(53);
  });

  it('is as long as it was where nobody wants it folded', () => {
    const scale = timeScaleOf(night, at(0), ms(36_010), false);
    expect(scale.stretches.length).toBe(1);
    expect(placeOf(scale, ms(10))).toBeLessThan(0.1);
  });

  it('in which a step runs and says nothing is folded, and told apart', () => {
    const scale = timeScaleOf([ran('a', 0, 600), ran('b', 600, 610), ran('c', 610, 620)], at(0), ms(620), true);
    expect(scale.stretches.map(({ isFolded, isBusy }) => [isFolded, isBusy])).toEqual([
      [true, true],
      [false, true],
    ]);
  });

  it('of a few seconds stays as it is', () => {
    expect(timeScaleOf([ran('a', 0, 1), ran('b', 8, 9)], at(0), ms(9), true).stretches.length).toBe(1);
  });
});

describe('a place on the line', () => {
  it('is that of one moment, and the other way round, in folds too', () => {
    const scale = timeScaleOf([ran('a', 0, 10), ran('b', 400, 410), ran('c', 900, null)], at(0), ms(1_000), true);
    for (const second of [0, 5, 10, 200, 405, 600, 950, 1_000])
      expect(timeAt(scale, placeOf(scale, ms(second)))).toBeCloseTo(ms(second), -1);
    expect([placeOf(scale, ms(-5)), placeOf(scale, ms(5_000))]).toEqual([0, 100]);
    expect(scale.moments.map((moment) => (moment - ms(0)) / 1_000)).toEqual([0, 10, 400, 410, 900, 1_000]);
  });

  it('is there when nothing has begun, and when all is one wait', () => {
    expect(timeScaleOf([], at(0), ms(0), true)).toMatchObject({ from: ms(0), until: ms(1), moments: [] });
    const one = timeScaleOf([ran('a', 0, null)], at(0), ms(100), true);
    expect([placeOf(one, ms(50)), one.stretches.length]).toEqual([50, 1]);
  });

  it('of 20,000 steps is found without a pause, and without as many arguments', () => {
    const steps = Array.from({ length: 20_000 }, (_, n) => ran(`s${n}`, n, n + 1));
    expect(timeScaleOf(steps, at(0), ms(30_000), true).stretches.length).toBe(1);
  });
});
