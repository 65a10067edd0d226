import { describe, expect, it } from 'vitest';
import { mayHave, rangesOverlap } from './address-ranges.js';

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

describe('an address that a port is to have', () => {
  it.each([
    ['10.10.0.0/24', '10.10.0.9', true],
    ['10.10.0.0/24', '10.10.0.0', false],
    ['10.10.0.0/24', '10.10.0.255', false],
    ['10.10.0.0/23', '10.10.0.255', true],
    ['10.10.0.0/31', '10.10.0.0', true],
    ['10.10.0.0/24', '10.11.0.9', false],
    ['fd16::/64', 'fd16::', false],
    ['fd16::/64', 'FD16:0::FFFF:FFFF:FFFF:FFFF', true],
    ['fd16::/64', 'fd17::9', false],
    ['10.10.0.0/24', 'fd16::9', false],
    ['10.10.0.0/24', '10.10.0.9/32', false],
    ['fe80::/10', 'fe80::1%eth0', false],
    ['10.10.0.0/24', 'worker', false],
  ])('of %s, %s is one that Neutron gives: %s', (cidr, address, gives) => {
    expect(mayHave(cidr, address)).toBe(gives);
  });
});
