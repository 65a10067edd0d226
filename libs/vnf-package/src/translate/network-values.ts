import { isIP } from 'node:net';
import type { YamlNode } from '../yaml/yaml-node.js';

/** What Neutron would refuse in the middle of an instantiation is refused here, by its place. */

/** One of these, in any letters: it is given back in small ones. @throws PackageError for another. */
export function oneOf(node: YamlNode, known: readonly string[]): string | undefined {
  const value = node.text()?.toLowerCase();
  if (value === undefined || known.includes(value)) return value;
  throw node.wrong(`should be ${known.slice(0, -1).join(', ')} or ${known.at(-1) ?? ''}, is ${JSON.stringify(value)}`);
}

/** An IP address, of a version where one is given. @throws PackageError for another text. */
export function address(node: YamlNode, version?: 4 | 6): string {
  const text = node.requiredText();
  const found = isIP(text);
  if (found === 0 || (version !== undefined && found !== version))
    throw node.wrong(`should be an ${version === undefined ? 'IP' : `IPv${version}`} address, is ${JSON.stringify(text)}`);
  return text;
}

/** A range of addresses, such as `10.0.0.0/24`. @throws PackageError for another text. */
export function range(node: YamlNode, version?: 4 | 6): string {
  const text = node.requiredText();
  const [, first = '', length] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const found = isIP(first);
  const fits = found !== 0 && Number(length) <= (found === 4 ? 32 : 128) && (version === undefined || found === version);
  if (!fits) throw node.wrong(`should be a range of ${version === undefined ? 'IP' : `IPv${version}`} addresses, such as ${version === 6 ? 'fd00:1::/64' : '10.0.0.0/24'}, is ${JSON.stringify(text)}`); // prettier-ignore
  return text;
}

/** Addresses from one to another. @throws PackageError where they are turned round, or one is no address of the range. */
export function pool(node: YamlNode, within: string, version: 4 | 6): { start: string; end: string } {
  const [first, last] = [node.at('start_ip_address'), node.at('end_ip_address')];
  const [start, end] = [address(first, version), address(last, version)];
  const [net = '', length = ''] = within.split('/');
  const hostBits = BigInt((version === 4 ? 32 : 128) - Number(length));
  for (const each of [first, last])
    if (numberOf(each.requiredText()) >> hostBits !== numberOf(net) >> hostBits)
      throw each.wrong(`is ${each.requiredText()}, which is no address of ${within}: correct it, or cidr`);
  if (numberOf(start) > numberOf(end)) throw last.wrong(`is ${end}, before start_ip_address, which is ${start}: exchange them`);
  return { start, end };
}

/** @throws PackageError where the gateway's address is one that a port could get */
export function outOfPools(gateway: YamlNode, pools: readonly { start: string; end: string }[]): void {
  const own = numberOf(gateway.requiredText());
  const taken = pools.find(({ start, end }) => numberOf(start) <= own && own <= numberOf(end));
  if (taken === undefined) return;
  throw gateway.wrong(
    `is ${gateway.requiredText()}, within the pool ${taken.start} to ${taken.end}: give it an address of its own`,
  );
}

/** An IP address as a number; IPv6 may end as IPv4 does. */
function numberOf(text: string): bigint {
  if (isIP(text) === 4) return text.split('.').reduce((above, part) => (above << 8n) + BigInt(part), 0n);
  const [, before = text, ipv4] = /^(.*:)([\d.]+)$/.exec(text.includes('.') ? text : '') ?? [];
  const low = ipv4 === undefined ? undefined : numberOf(ipv4);
  const whole = low === undefined ? text : `${before}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`;
  const [left = [], right] = whole.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const missing = right === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...(right ?? [])];
  return groups.reduce((above, group) => (above << 16n) + BigInt(`0x${group}`), 0n);
}

/** A MAC address. @throws PackageError for another text. */
export function macAddress(node: YamlNode): string | undefined {
  const text = node.text();
  if (text === undefined || /^[\da-f]{2}(?::[\da-f]{2}){5}$/i.test(text)) return text;
  throw node.wrong(`should be a MAC address, such as fa:16:3e:00:00:01, is ${JSON.stringify(text)}`);
}

/** The least that RFC 791 and RFC 8200 want of a link, and the most that a packet may have. */
const LEAST_MTU = { 4: 68, 6: 1_280 } as const;
const MOST_MTU = 65_535;

/** The largest packet of a link, in bytes; 0 leaves it to the VIM. @throws PackageError for a number that no link can have. */
export function mtu(node: YamlNode, version: 4 | 6): number | undefined {
  const bytes = node.integer();
  if (bytes === undefined || bytes === 0 || (bytes >= LEAST_MTU[version] && bytes <= MOST_MTU)) return bytes;
  throw node.wrong(`should be ${LEAST_MTU[version]} to ${MOST_MTU} bytes for IPv${version}, is ${bytes}`);
}

const LAST_PORT = 65_535;

/** A number of a port. @throws PackageError for another number. */
export function portNumber(node: YamlNode): number | undefined {
  const number = node.integer();
  if (number === undefined || (number >= 0 && number <= LAST_PORT)) return number;
  throw node.wrong(`should be a port, 0 to ${LAST_PORT}, is ${number}`);
}
