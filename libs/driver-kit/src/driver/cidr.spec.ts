import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cidrContains, cidrsOverlap, formatCidr, formatIpv4, parseCidr, parseIpv4, type Cidr } from './cidr.js';

const address = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const prefix = fc.integer({ min: 0, max: 32 });

describe('ranges of addresses', () => {
  it('keep the address they were written with, and lose only host bits', () => {
    fc.assert(
      fc.property(address, prefix, (of, length) => {
        const range = parseCidr(`${formatIpv4(of)}/${length}`)!;
        expect(cidrContains(range, of)).toBe(true);
        expect(range.first % 2 ** (32 - length)).toBe(0);
      }),
    );
  });

  it('are normal once they were normalised', () => {
    fc.assert(
      fc.property(address, prefix, (of, length) => {
        const once = formatCidr(parseCidr(`${formatIpv4(of)}/${length}`)!);
        expect(formatCidr(parseCidr(once)!)).toBe(once);
      }),
    );
  });

  it('overlap when they share an address, and only then, whichever comes first', () => {
    // Ranges from a small part of the space, so that both happen.
    const near = fc.record({
      of: fc.integer({ min: 167_772_160, max: 167_772_160 + 4_096 }),
      length: fc.integer({ min: 20, max: 32 }),
    });
    fc.assert(
      fc.property(near, near, (one, other) => {
        const [a, b] = [one, other].map(({ of, length }) => parseCidr(`${formatIpv4(of)}/${length}`)!) as [Cidr, Cidr];
        const last = ({ first, prefix: length }: Cidr) => first + 2 ** (32 - length) - 1;
        const shares = a.first <= last(b) && b.first <= last(a);
        expect(cidrsOverlap(a, b)).toBe(shares);
        expect(cidrsOverlap(b, a)).toBe(shares);
      }),
    );
  });

  it.each([
    '',
    '10.0.0.0',
    '10.0.0/8',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '010.0.0.0/8',
    '10.0.0.256/8',
    '10.0.0.0/-1',
    '10.0.0.0/8 ',
    'fd00::/8',
  ])('are not %j', (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });

  it('read addresses as they are written', () => {
    expect(parseIpv4('192.168.3.1')).toBe(3_232_236_289);
    expect(parseIpv4('1.2.3')).toBeUndefined();
  });
});
