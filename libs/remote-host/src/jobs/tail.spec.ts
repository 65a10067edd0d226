import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { Tail } from './tail.js';

it('the tail is the last of what came, and counts what went', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 50 }),
      (pieces, limit) => {
        const tail = new Tail(limit);
        let dropped = 0;
        for (const piece of pieces) dropped += tail.push(Buffer.from(piece));
        const all = Buffer.concat(pieces);
        expect(tail.bytes()).toEqual(all.subarray(Math.max(0, all.length - limit)));
        expect([tail.length, dropped]).toEqual([Math.min(all.length, limit), Math.max(0, all.length - limit)]);
      },
    ),
  );
});

it('goes on from nothing when it was cleared', () => {
  const tail = new Tail(4);
  tail.push(Buffer.from('abcdef'));
  tail.clear();
  expect(tail.push(Buffer.from('gh'))).toBe(0);
  expect(tail.bytes().toString()).toBe('gh');
});

it('moves no byte more than a few times, however short the pieces are', () => {
  const copy = vi.spyOn(Buffer.prototype, 'copy');
  try {
    const tail = new Tail(1_000);
    const byte = Buffer.from('x');
    for (let at = 0; at < 50_000; at += 1) tail.push(byte);
    const moved = copy.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
    expect(moved).toBeLessThan(4 * 50_000);
  } finally {
    copy.mockRestore();
  }
});
