import { describe, expect, it } from 'vitest';
import type { InstantiatedInfo } from '../api/types.js';
import { leftOf, runningOut } from './certificates.js';

const now = Date.parse('2026-11-27T03:00:00Z');
const inDays = (days: number): string => new Date(now + days * 86_400_000 + 1_000).toISOString();
const instance = (id: string, ...days: number[]): { id: string; instantiatedVnfInfo?: InstantiatedInfo } => ({
  id,
  instantiatedVnfInfo: {
    metadata: {
      windlassCertificates: { lookedAt: '', certificates: days.map((each) => ({ master: 'm', name: id, endsAt: inDays(each) })) },
    },
  } as unknown as InstantiatedInfo,
});

describe('certificates that run out', () => {
  it.each([
    [-1, 'has ended', 'bad'],
    [0, 'ends today', 'bad'],
    [1, '1 day left', 'bad'],
    [13, '13 days left', 'bad'],
    [14, '14 days left', 'undo'],
    [60, '60 days left', 'good'],
  ])('in %i days: %s', (days, text, tone) => {
    expect(leftOf({ endsAt: inDays(days) }, now)).toEqual({ text, tone });
  });

  it('are told of all instances, the first to end first; what has long is not', () => {
    const told = runningOut([instance('a', 40, 300), instance('b', 5), { id: 'c' }], now);
    expect(told.map(({ of: { id } }) => id)).toEqual(['b', 'a']);
  });
});
