import { describe, expect, it } from 'vitest';
import { rangesOverlap } from './address-ranges.js';

describe('two ranges of addresses', () => {
  it.each([
    ['10.0.0.0/8', '10.244.0.0/16', true],
    ['10.244.0.0/16', '10.0.0.0/8', true],
    ['10.244.0.0/17', '10.244.128.0/17', false],
    ['fd00::/8', 'fd12::/64', true],
    ['::ffff:0:0/96', '10.0.0.0/8', false],
    ['no range', '10.0.0.0/8', false],
    ['10.0.0.0/33', '10.0.0.0/8', false],
  ])('%s and %s overlap: %s', (one, other, does) => {
    expect(rangesOverlap(one, other)).toBe(does);
  });
});
