/** An IPv4 range in CIDR form, host bits cleared. */
export interface IpRange {
  /** First address as a number. */
  first: number;
  prefix: number;
  /** Number of addresses. */
  size: number;
}

const toNumber = (address: string): number | undefined => {
  const parts = address.split('.');
  const good = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
  return good ? parts.reduce((sum, part) => sum * 256 + Number(part), 0) : undefined;
};

export const isIpv4 = (text: string): boolean => toNumber(text) !== undefined;

/** Undefined for anything but IPv4 CIDR notation; host bits are dropped, as Go's `net.ParseCIDR` does. */
export function parseCidr(text: string): IpRange | undefined {
  const [address = '', length = '', ...more] = text.split('/');
  const number = toNumber(address);
  const prefix = Number(length);
  if (number === undefined || more.length > 0 || !/^\d{1,2}$/.test(length) || prefix > 32) return undefined;
  const size = 2 ** (32 - prefix);
  return { first: Math.floor(number / size) * size, prefix, size };
}

/** The n-th address of a range, 0 being the network's own. */
export function addressAt(range: IpRange, index: number): string {
  const number = range.first + index;
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

export function includesAddress(range: IpRange, address: string): boolean {
  const number = toNumber(address);
  return number !== undefined && number >= range.first && number < range.first + range.size;
}

/** The n-th subnet of the given prefix length, in CIDR form; undefined past the end. */
export function subnetAt(range: IpRange, prefix: number, index: number): string | undefined {
  const size = 2 ** (32 - prefix);
  if (size > range.size || (index + 1) * size > range.size) return undefined;
  return `${addressAt(range, index * size)}/${prefix}`;
}

export const overlap = (a: IpRange, b: IpRange): boolean => a.first < b.first + b.size && b.first < a.first + a.size;
