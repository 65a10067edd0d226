import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** NAT64's well-known prefix (RFC 6052): the IPv4 address that is meant stands in the last four bytes. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** What is asked for: a name, or an address without brackets; and the port. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

const HOST_NAME = /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i;
const ONLY_DIGITS = /^[0-9.]+$/;

/** What an entry means; without a port any. */
type Entry = { port: number | undefined } & ({ network: [Address, number] } | { host: string });

/** One entry of a list of rules, or undefined where the text is none. */
function entryOf(text: string): Entry | undefined {
  if (ipaddr.isValidCIDR(text)) return { network: ipaddr.parseCIDR(text), port: undefined };
  const { place, port } = withPort(text);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  if (isIP(place) !== 0) {
    const address = ipaddr.parse(place);
    return { network: [address, address.kind() === 'ipv4' ? 32 : 128], port };
  }
  return HOST_NAME.test(place) && !ONLY_DIGITS.test(place) ? { host: hostKey(place), port } : undefined;
}

/** An IPv6 address has a port behind brackets alone. */
function withPort(text: string): { place: string; port: number | undefined } {
  const [, inBrackets, bare, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || (inBrackets !== undefined && isIP(inBrackets) !== 6)) return { place: text, port: undefined };
  return { place: inBrackets ?? bare ?? '', port: Number(port) };
}

/** Whether a text is an address, a CIDR or, where those are taken, a host name. */
export function isOutboundRule(text: string, hosts: 'with hosts' | 'without hosts'): boolean {
  const entry = entryOf(text);
  return entry !== undefined && (hosts === 'with hosts' || 'network' in entry);
}

const hostKey = (host: string): string => host.toLowerCase().replace(/\.$/, '');

/** Entries of one list. */
export class RuleList {
  readonly #networks: { network: [Address, number]; port: number | undefined }[] = [];
  readonly #hosts: { host: string; port: number | undefined }[] = [];

  constructor(entries: readonly string[]) {
    for (const text of entries) {
      const entry = entryOf(text);
      if (entry === undefined) throw new RangeError(`"${text}" is no address, CIDR or host name`);
      if ('network' in entry) this.#networks.push(entry);
      else this.#hosts.push(entry);
    }
  }

  get isEmpty(): boolean {
    return this.#networks.length + this.#hosts.length === 0;
  }

  hasHost(asked: string, at: number): boolean {
    const key = hostKey(asked);
    return this.#hosts.some(
      ({ host, port }) => (port ?? at) === at && (host.startsWith('*.') ? key.endsWith(host.slice(1)) : key === host),
    );
  }

  hasAny(addresses: readonly Address[], at: number): boolean {
    return this.#networks.some(
      ({ network: [network, bits], port }) =>
        (port ?? at) === at && addresses.some((address) => address.kind() === network.kind() && address.match(network, bits)),
    );
  }
}

/** An address as itself, IPv4-mapped ones as IPv4; behind it the IPv4 address that NAT64 would make of it. None where the text is no address. */
export function formsOf(text: string): Address[] {
  const bare = text.split('%', 1)[0] ?? text;
  if (isIP(bare) === 0) return [];
  const address = ipaddr.process(bare);
  if (!(address instanceof ipaddr.IPv6) || !address.match(NAT64)) return [address];
  return [address, ipaddr.fromByteArray(address.toByteArray().slice(12))];
}
