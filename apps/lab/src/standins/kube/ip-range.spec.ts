import { describe, expect, it } from 'vitest';
import { addressAt, includesAddress, overlap, parseCidr, subnetAt, type IpRange } from './ip-range.js';

const range = (text: string): IpRange => {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};

describe('IPv4 ranges', () => {
  it('drops host bits and counts addresses', () => {
    expect(range('10.96.0.1/12')).toEqual(range('10.96.0.0/12'));
    expect(addressAt(range('10.96.0.0/12'), 1)).toBe('10.96.0.1');
    expect(addressAt(range('10.96.0.0/12'), 10)).toBe('10.96.0.10');
    expect(addressAt(range('200.0.0.0/8'), 256)).toBe('200.0.1.0');
  });

  it('hands out subnets until the range ends', () => {
    expect(subnetAt(range('10.244.0.0/16'), 24, 0)).toBe('10.244.0.0/24');
    expect(subnetAt(range('10.244.0.0/16'), 24, 255)).toBe('10.244.255.0/24');
    expect(subnetAt(range('10.244.0.0/16'), 24, 256)).toBeUndefined();
    expect(subnetAt(range('10.244.0.0/25'), 24, 0)).toBeUndefined();
  });

  it('knows what lies inside and what overlaps', () => {
    expect(includesAddress(range('192.168.0.0/16'), '192.168.255.255')).toBe(true);
    expect(includesAddress(range('192.168.0.0/16'), '192.169.0.0')).toBe(false);
    expect(overlap(range('10.0.0.0/8'), range('10.96.0.0/12'))).toBe(true);
    expect(overlap(range('10.0.0.0/9'), range('10.128.0.0/9'))).toBe(false);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0/8', '10.0.0.256/8', 'fd00::/8', '10.0.0.0/8/8', '10.0.0.0/'])(
    'refuses %s',
    (text) => {
      expect(parseCidr(text)).toBeUndefined();
    },
  );
});
