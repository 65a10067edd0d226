import { expect, it, vi } from 'vitest';
import { described, MIB, quoted, Spending } from './said-too-much.js';

it('a machine may say so much at once, and so much a second on top', () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(5_000);
  try {
    const spending = new Spending({ bytes: MIB, perSecond: 1_000 });
    expect(spending.takes(MIB - 16)).toBe(true);
    expect(spending.takes(2_000 - 16)).toBe(false);
    clock.mockReturnValue(6_999);
    expect(spending.takes(0)).toBe(false);
    clock.mockReturnValue(7_016);
    expect(spending.takes(0)).toBe(false);
    clock.mockReturnValue(7_048);
    expect(spending.takes(0)).toBe(true);
  } finally {
    clock.mockRestore();
  }
});

it('many short pieces are counted for more than their bytes', () => {
  const spending = new Spending({ bytes: MIB });
  let pieces = 0;
  while (spending.takes(1)) pieces += 1;
  expect(pieces).toBe(Math.floor(MIB / 17));
});

it('a message says the limit, and no more than the beginning of what was said', () => {
  expect(described({ bytes: 64 * 1024 })).toBe('64 KiB');
  expect(described({ bytes: 64 * MIB, perSecond: 2 * MIB })).toBe('64 MiB and 2 MiB a second');
  expect(quoted('x'.repeat(500))).toBe('x'.repeat(500));
  expect(quoted('x'.repeat(501))).toBe(`${'x'.repeat(500)}...`);
});
