import { describe, expect, it } from 'vitest';
import { median, percentile, summary } from './figures.js';

describe('figures of a benchmark', () => {
  it('take percentiles by the nearest rank, whatever the order of the values', () => {
    const values = [50, 10, 40, 20, 30];
    expect(percentile(values, 0.5)).toBe(30);
    expect(percentile(values, 0.95)).toBe(50);
    expect(percentile(values, 0)).toBe(10);
    expect(
      percentile(
        Array.from({ length: 100 }, (_one, index) => index + 1),
        0.95,
      ),
    ).toBe(95);
  });

  it('are not made up where nothing was measured', () => {
    expect(median([])).toBeNaN();
    expect(summary([])).toMatchObject({ n: 0, p50: Number.NaN });
  });

  it('sum up to two places', () => {
    expect(summary([1, 2, 4])).toEqual({ n: 3, mean: 2.33, p50: 2, p95: 4, max: 4 });
  });
});
