/** IPv4 arithmetic on 32-bit numbers. */

export interface Cidr {
  first: number;
  last: number;
  prefix: number;
}

/** The number of a dotted address, or undefined when it is none. */
export function parseIpv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const parts = match.slice(1).map(Number);
  if (parts.some((part) => part > 255)) return undefined;
  return parts.reduce((number, part) => number * 256 + part, 0);
}

export const formatIpv4 = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');

/** First and last address of `a.b.c.d/n`, or undefined when it is none. */
export function parseCidr(text: string): Cidr | undefined {
  const [address, bits] = text.split('/');
  const number = parseIpv4(address ?? '');
  if (number === undefined || bits === undefined || !/^\d{1,2}$/.test(bits)) return undefined;
  const prefix = Number(bits);
  if (prefix > 32) return undefined;
  const size = 2 ** (32 - prefix);
  const first = Math.floor(number / size) * size;
  return { first, last: first + size - 1, prefix };
}

export const within = (cidr: Cidr, address: number): boolean => address >= cidr.first && address <= cidr.last;

export const overlap = (one: Cidr, other: Cidr): boolean => one.first <= other.last && other.first <= one.last;
