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
