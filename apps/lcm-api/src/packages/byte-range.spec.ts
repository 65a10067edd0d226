import { RequestError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { byteRangeOf } from './byte-range.js';

const SIZE = 1_000;
const asked = (range: string | undefined, ifRange?: string) => byteRangeOf({ range, ifRange, etag: '"now"', size: SIZE });

function statusOf(range: string): number {
  try {
    asked(range);
  } catch (error) {
    if (error instanceof RequestError) return error.status;
    throw error;
  }
  return 206;
}

describe('a range of bytes', () => {
  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=0-999', 0, 1_000],
    ['bytes=10-19', 10, 20],
    ['bytes=990-', 990, 1_000],
    ['bytes=990-5000', 990, 1_000],
    ['bytes=-1', 999, 1_000],
    ['bytes=-5000', 0, 1_000],
    [`bytes=1-${'9'.repeat(400)}`, 1, 1_000],
  ])('%s is the bytes from %d to before %d', (header, start, end) => {
    expect(asked(header)).toEqual({ start, end, partial: true });
  });

  it('is the whole where none is asked for, or it is meant for what is there no more', () => {
    const whole = { start: 0, end: SIZE, partial: false };
    expect(asked(undefined)).toEqual(whole);
    expect(asked('bytes=0-9', '"before"')).toEqual(whole);
    expect(asked('bytes=0-9', 'Sun, 22 Nov 2026 08:00:00 GMT')).toEqual(whole);
    expect(asked('bytes=0-9', '"now"')).toEqual({ start: 0, end: 10, partial: true });
  });

  it.each(['bytes=1000-', 'bytes=5-4', 'bytes=-0', 'bytes=-', 'bytes=a-b', 'lines=1-2', '', `bytes=${'9'.repeat(400)}-`])(
    '%s is answered with 416',
    (header) => {
      expect(statusOf(header)).toBe(416);
    },
  );

  it('is one: several are answered with 400', () => {
    expect(statusOf('bytes=0-1,5-6')).toBe(400);
  });

  it('lies outside of what is empty', () => {
    expect(() => byteRangeOf({ range: 'bytes=0-0', ifRange: undefined, etag: '""', size: 0 })).toThrow(/there are 0 bytes/);
  });
});
