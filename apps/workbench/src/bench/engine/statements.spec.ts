import { describe, expect, it } from 'vitest';
import { dearest, type StatementCounts } from './statements.js';

const one = (id: string, calls: number, executing: number, more: Partial<StatementCounts> = {}): StatementCounts => ({
  id,
  text: `SELECT ${id}`,
  calls,
  executing,
  planning: 0,
  walBytes: 0,
  ...more,
});

describe('the dearest statements', () => {
  it('are those that took most time since the first reading, by operation, with their planning', () => {
    const before = [one('old', 100, 900), one('b', 10, 10, { walBytes: 500 })];
    const after = [
      one('old', 100, 900),
      one('b', 30, 30, { walBytes: 1_500 }),
      one('c', 5, 5, { planning: 40, text: 'SELECT\n  c' }),
    ];
    const found = dearest(before, after, 10);
    expect(Object.keys(found)).toEqual(['SELECT c', 'SELECT b']);
    expect(found['SELECT b']).toEqual({ calls: 2, executing: 2, planning: 0, walBytes: 100 });
    expect(found['SELECT c']).toEqual({ calls: 0.5, executing: 0.5, planning: 4, walBytes: 0 });
  });

  it('are no more than asked for', () => {
    const many = Array.from({ length: 20 }, (_, n) => one(String(n), 1, n));
    expect(Object.keys(dearest([], many, 1, 3))).toEqual(['SELECT 19', 'SELECT 18', 'SELECT 17']);
  });
});
