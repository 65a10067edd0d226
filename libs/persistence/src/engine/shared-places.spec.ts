import type { WantedPlaces } from '@windlass/saga';
import { expect, it } from 'vitest';
import { PlacesContended } from './limit-places.js';
import { CountedBefore, SharedPlaces } from './shared-places.js';

const place = (key: string, places = 1): WantedPlaces => ({ key, limit: 5, places });

it('all keys of all who share a transaction are locked by one call, and what one may take counts for those behind it', async () => {
  const calls: (readonly WantedPlaces[])[] = [];
  const shared = new SharedPlaces((wanted) => {
    calls.push(wanted);
    return Promise.resolve(
      new Map([
        ['a', 2],
        ['b', 0],
      ]),
    );
  });
  const counts = await Promise.all([shared.of([place('a'), place('b')]), shared.of([place('a', 2)]), shared.of([place('a')])]);
  expect(calls).toEqual([[place('a', 4), place('b')]]);
  expect(counts.map((each) => each.get('a'))).toEqual([2, 3, 5]);
  expect(counts[0].get('b')).toBe(0);
});

it('who asks when the others have been answered would lock out of turn, and is refused', async () => {
  const shared = new SharedPlaces(() => Promise.resolve(new Map()));
  await shared.of([place('a')]);
  await expect(shared.of([place('b')])).rejects.toBeInstanceOf(CountedBefore);
});

it('that the count fails is told to each', async () => {
  const shared = new SharedPlaces(() => Promise.reject(new PlacesContended()));
  const ends = await Promise.allSettled([shared.of([place('a')]), shared.of([place('b')])]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
