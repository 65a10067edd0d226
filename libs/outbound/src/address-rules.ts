import ipaddr from 'ipaddr.js';
import type { HttpProxy } from './http-proxy.js';
import { formsOf, RuleList, type Address, type Place } from './rule-list.js';

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

/** IPv6 that is given out (RFC 4291 2.4). The rest, such as `::7f00:1` for 127.0.0.1, is "unicast" to ipaddr.js and nobody's. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');

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
