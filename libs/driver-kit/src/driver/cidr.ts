/** A range of IPv4 addresses. */
export interface Cidr {
  /** First address, as a number. */
  first: number;
  prefix: number;
}

/** An IPv4 address as a number, or undefined. Leading zeros are refused: some read them as octal. */
export function parseIpv4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return undefined;
  return parts.reduce((number, part) => number * 256 + Number(part), 0);
}

/** The IPv4 address of a port, whose first address may be IPv6 where it has both. Undefined where the port has none. */
export const ipv4Among = (addresses: readonly string[]): string | undefined =>
  addresses.find((address) => parseIpv4(address) !== undefined);

/** The address at which a machine is logged in to through a CP: its floating IP, else its IPv4 address, else any address. */
export const loginAddress = (cp: { floatingIp: string | null; addresses: readonly string[] } | undefined): string | undefined =>
  cp === undefined ? undefined : (cp.floatingIp ?? ipv4Among(cp.addresses) ?? cp.addresses[0]);

/** An IPv4 address, given as a number, in its usual spelling. */
export const formatIpv4 = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');

/** The range an `address/prefix` lies in; bits right of the prefix are dropped. */
export function parseCidr(text: string): Cidr | undefined {
  const match = /^([\d.]+)\/(0|[1-9]\d?)$/.exec(text);
  const address = parseIpv4(match?.[1] ?? '');
  const prefix = Number(match?.[2] ?? Number.NaN);
  if (address === undefined || !(prefix <= 32)) return undefined;
  return { first: address - (address % sizeOf(prefix)), prefix };
}

/** `address/prefix`, with the range's first address. */
export const formatCidr = ({ first, prefix }: Cidr): string => `${formatIpv4(first)}/${prefix}`;

const sizeOf = (prefix: number): number => 2 ** (32 - prefix);

/** Whether an address, given as a number, lies in the range. */
export const cidrContains = (range: Cidr, address: number): boolean =>
  address >= range.first && address < range.first + sizeOf(range.prefix);

/** Whether two ranges share an address. */
export const cidrsOverlap = (one: Cidr, other: Cidr): boolean => cidrContains(one, other.first) || cidrContains(other, one.first);
