import { describe, expect, it } from 'vitest';
import { counted, perOperation, perSecond, type Counters } from './counters.js';

const at = (time: number, value: number, more: Partial<Counters> = {}): Counters => ({
  at: time,
  ...counted(() => value),
  ...more,
});

describe('what is counted an operation', () => {
  it('is less what goes on when nothing does, each by the time between its own readings', () => {
    const idle = counted(() => 2);
    const readings = { from: at(0, 0), now: at(5_000, 110), settled: at(10_000, 220) };
    expect(perOperation(readings, idle, 10)).toMatchObject({ statements: 10, writes: 10, sent: 10, transactions: 20, syncs: 20 });
  });

  it('leaves out the looks of the bench, which are transactions that write nothing', () => {
    const readings = { from: at(0, 0), now: at(1_000, 100), settled: at(1_000, 100) };
    expect(
      perOperation(
        readings,
        counted(() => 0),
        10,
        40,
      ),
    ).toMatchObject({ transactions: 6, writes: 10, statements: 10 });
  });

  it('is told by the second where nothing happens', () => {
    expect(perSecond(at(1_000, 10), at(3_000, 15)).sent).toBe(2.5);
  });
});
