import { describe, expect, it } from 'vitest';
import { vimOf, warmUpOf } from './bench-engine.js';

describe('the VIM of `bench engine`', () => {
  it('is the cheap one, and the emulator where stacks are to take the lab’s time', () => {
    expect(vimOf({ stacks: 'instant', count: [1] })).toBe('cheap');
    expect(vimOf({ stacks: 'lab', count: [1] })).toBe('emulator');
    expect(vimOf({ vim: 'emulator', stacks: 'instant', count: [190] })).toBe('emulator');
  });

  it('is refused where it can’t do what is asked for, before anything is started', () => {
    expect(() => vimOf({ vim: 'cheap', stacks: 'lab', count: [1] })).toThrow('leave --vim out, or give --vim emulator');
    expect(() => vimOf({ vim: 'emulator', stacks: 'instant', count: [1, 191] })).toThrow('holds 190 at once');
  });
});

describe('what `bench engine` warms up with', () => {
  it('is a whole number that a bench can end with', () => {
    expect(warmUpOf('2000')).toBe(2_000);
  });

  it.each(['0', '-1', '1.5', 'many', '2001', '99999'])('is refused: %s', (text) => {
    expect(() => warmUpOf(text)).toThrow('expected a whole number from 1 to 2000');
  });
});
