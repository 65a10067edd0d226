import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { HttpProxy } from './http-proxy.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Where this deployment may connect to when a stranger names the address. Entries are host names (`*.example.com` has those below), addresses
 * and CIDRs; behind a name or an address there may be the one port that is meant (`10.0.0.7:5000`, `[::1]:5000`).
 */
export interface OutboundRules {
  /** Addresses and CIDRs that are refused otherwise, such as `127.0.0.0/8`. A host name lifts nothing: who answers for it may say any address. */
  readonly allow: readonly string[];
  /** Never, whatever the others say. */
  readonly deny: readonly string[];
  /** Where it is not empty: nothing else. */
  readonly only: readonly string[];
  /** Whether private networks (RFC 1918, fc00::/7, 100.64.0.0/10) may be reached: NFVOs live there. */
  readonly privateNetworks: boolean;
}

/** What holds where nobody says otherwise: public and private networks; no loopback, link-local, multicast, metadata. */
export const defaultOutboundRules: OutboundRules = { allow: [], deny: [], only: [], privateNetworks: true };

/** Metadata services of clouds whose addresses look like any other: Azure, Alibaba, AWS, Google (by IPv6). 169.254.169.254 is link-local. */
const METADATA = ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'];

const PRIVATE = new Set(['private', 'uniqueLocal', 'carrierGradeNat']);

/** NAT64's well-known prefix (RFC 6052): the IPv4 address that is meant stands in the last four bytes. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** IPv6 that is given out (RFC 4291 2.4). The rest, such as `::7f00:1` for 127.0.0.1, is "unicast" to ipaddr.js and nobody's. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');

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

/** Decides by name and by address; the address is the one that a connection goes to, so that no answer of DNS gets around it. */
export class AddressRules {
  readonly #allow: RuleList;
  readonly #deny: RuleList;
  readonly #only: RuleList;
  readonly #privateNetworks: boolean;

  /** @throws RangeError for an entry that is no address, CIDR or host name */
  constructor(
    rules: OutboundRules,
    /** By which HTTP goes there; SSH never does. */
    readonly proxy?: HttpProxy,
  ) {
    this.#allow = new RuleList(rules.allow);
    this.#deny = new RuleList(rules.deny);
    this.#only = new RuleList(rules.only);
    this.#privateNetworks = rules.privateNetworks;
  }

  /** Whether a connection to this address may be made for who asked for this place. */
  permits(address: string, { host, port }: Place): boolean {
    const forms = formsOf(address);
    if (forms.length === 0 || this.#deny.hasHost(host, port) || this.#deny.hasAny(forms, port)) return false;
    if (!this.#only.isEmpty && !this.#only.hasHost(host, port) && !this.#only.hasAny(forms, port)) return false;
    if (this.#allow.hasAny(forms, port)) return true;
    const meant = forms.at(-1);
    return meant !== undefined && !metadata.hasAny(forms, port) && this.#isReachable(meant);
  }

  /** Whether the operator names this very host among those that alone are reached: then a proxy may look it up where this machine can't. */
  namesHost({ host, port }: Place): boolean {
    return this.#only.hasHost(host, port) && !this.#deny.hasHost(host, port);
  }

  #isReachable(address: Address): boolean {
    const range = address.range();
    if (PRIVATE.has(range)) return this.#privateNetworks;
    return range === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL));
  }
}

const metadata = new RuleList(METADATA);

/** An address as itself, IPv4-mapped ones as IPv4; behind it the IPv4 address that NAT64 would make of it. None where the text is no address. */
export function formsOf(text: string): Address[] {
  const bare = text.split('%', 1)[0] ?? text;
  if (isIP(bare) === 0) return [];
  const address = ipaddr.process(bare);
  if (!(address instanceof ipaddr.IPv6) || !address.match(NAT64)) return [address];
  return [address, ipaddr.fromByteArray(address.toByteArray().slice(12))];
}
