import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testSeed } from './seed.js';

const drawn = (seed?: number): number[] => {
  const all: number[] = [];
  fc.assert(
    fc.property(fc.integer(), (n) => void all.push(n)),
    { numRuns: 20, ...(seed === undefined ? {} : { seed }) },
  );
  return all;
};

it('what fast-check draws is the same each time, but where a property names another seed', () => {
  expect(drawn()).toEqual(drawn());
  expect(drawn()).toEqual(drawn(testSeed()));
  expect(drawn(1)).not.toEqual(drawn());
});

it('the seed is the one that the environment names, and no word', () => {
  expect(testSeed({ WINDLASS_TEST_SEED: '17' })).toBe(17);
  expect(testSeed({})).toBe(testSeed({}));
  expect(() => testSeed({ WINDLASS_TEST_SEED: 'new' })).toThrow('whole number');
});
