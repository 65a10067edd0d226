import { BlockList, isIP } from 'node:net';

/** Whether two ranges of addresses, each a CIDR, have an address in common; false where one is none, or of another version of IP. */
export function rangesOverlap(one: string, other: string): boolean {
  const [a, b] = [rangeOf(one), rangeOf(other)];
  if (a === undefined || b?.family !== a.family) return false;
  // Of two that overlap, the one with the shorter prefix has the other whole.
  const [wide, narrow] = a.prefix <= b.prefix ? [a, b] : [b, a];
  const list = new BlockList();
  list.addSubnet(wide.address, wide.prefix, wide.family);
  return list.check(narrow.address, narrow.family);
}

function rangeOf(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [address = '', length = ''] = text.split('/');
  const version = isIP(address);
  if (version === 0 || !/^\d{1,3}$/.test(length)) return undefined;
  const prefix = Number(length);
  return prefix > (version === 4 ? 32 : 128) ? undefined : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}
