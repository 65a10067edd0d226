import { BlockList, isIP } from 'node:net';

interface Range {
  address: string;
  length: number;
  family: 'ipv4' | 'ipv6';
}

/** An address or a CIDR; undefined for anything else. */
export function rangeOf(text: string): Range | undefined {
  const [address = '', given, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || (given !== undefined && !/^\d{1,3}$/.test(given))) return undefined;
  const longest = version === 4 ? 32 : 128;
  const length = given === undefined ? longest : Number(given);
  return length > longest ? undefined : { address, length, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** Whether every address of the second lies in the first. */
export function contains(outer: string, inner: string): boolean {
  const [one, other] = [rangeOf(outer), rangeOf(inner)];
  if (one === undefined || other?.family !== one.family || one.length > other.length) return false;
  const list = new BlockList();
  list.addSubnet(one.address, one.length, one.family);
  return list.check(other.address, other.family);
}

/** Whether two ranges have an address in common: one of them has the other whole then. */
export const rangesOverlap = (one: string, other: string): boolean => contains(one, other) || contains(other, one);

/**
 * Whether Neutron gives a port that address of a subnet: its first address (the network's, of IPv6 the routers') is no port's, nor is the last of IPv4
 * (broadcast), but where the subnet has two addresses at most.
 */
export function mayHave(cidr: string, address: string): boolean {
  const range = rangeOf(cidr);
  if (range === undefined || !isAddress(address) || !contains(cidr, address)) return false;
  const bits = range.family === 'ipv4' ? 32 : 128;
  const host = valueOf(address) & ((1n << BigInt(bits - range.length)) - 1n);
  if (bits - range.length <= 1) return true;
  return host !== 0n && (range.family === 'ipv6' || host !== (1n << BigInt(bits - range.length)) - 1n);
}

/** Without a prefix or a zone. */
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');

/** An address as the number that it is. */
function valueOf(address: string): bigint {
  if (!address.includes(':')) return address.split('.').reduce((sum, part) => (sum << 8n) + BigInt(part), 0n);
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail)];
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return all.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}
