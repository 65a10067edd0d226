import { describe, expect, it } from 'vitest';
import { StreamPlaces, Turns } from './event-stream-limits.js';

describe('places for event streams', () => {
  it('are limited for a project and in all, and free again when given back, once', () => {
    const places = new StreamPlaces({ streams: 3, streamsPerProject: 2 });
    const release = places.take('a');
    places.take('a');
    expect(() => places.take('a')).toThrow('as many as it may have');
    places.take('b');
    expect(() => places.take('c')).toThrow('as many as may be');
    release();
    release();
    places.take('c');
    expect(() => places.take('c')).toThrow('as many as may be');
  });
});

describe('turns', () => {
  it('let so many in at once, in order, and go on after one that failed', async () => {
    const turns = new Turns(2);
    let inside = 0;
    let most = 0;
    const order: number[] = [];
    const work = (n: number) =>
      turns.run(async () => {
        order.push(n);
        most = Math.max(most, ++inside);
        await Promise.resolve();
        inside--;
        if (n === 1) throw new Error('no');
      });
    const settled = await Promise.allSettled([0, 1, 2, 3, 4].map(work));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    expect([most, order]).toEqual([2, [0, 1, 2, 3, 4]]);
  });
});
