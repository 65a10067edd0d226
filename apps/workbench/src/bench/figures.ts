/** What many measurements come to, in the unit of the measurements. */
export interface Summary {
  n: number;
  mean: number;
  p50: number;
  p95: number;
  max: number;
}

/**
 * The value that a share of the values does not exceed, by the nearest rank: always one that was measured.
 * @param share between 0 and 1
 * @returns NaN when nothing was measured
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export function summary(values: readonly number[]): Summary {
  const sum = values.reduce((total, value) => total + value, 0);
  return {
    n: values.length,
    mean: rounded(sum / values.length),
    p50: rounded(percentile(values, 0.5)),
    p95: rounded(percentile(values, 0.95)),
    max: rounded(percentile(values, 1)),
  };
}

/** Two places after the point: what follows is noise. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;

/**
 * Each figure's median over several measurements of one shape, independently. Works through any shape, so that none is forgotten: of what only some
 * measurements have, a number counts as 0 in the others, anything else is left out of account there.
 */
export const medians = <T>(measured: readonly T[]): T => medianOf(measured) as T;

function medianOf(values: readonly unknown[]): unknown {
  const there = values.filter((value) => value !== undefined);
  const [first] = there;
  if (typeof first === 'number') return median(values.map((value) => (typeof value === 'number' ? value : 0)));
  if (typeof first !== 'object' || first === null) return first;
  const names = new Set(there.flatMap((value) => Object.keys(value as object)));
  return Object.fromEntries(
    [...names].map((name) => [name, medianOf(there.map((value) => (value as Record<string, unknown>)[name]))]),
  );
}
