import { BlockList, isIP } from 'node:net';

/** The header in which proxies name the client. The other header may come from a client, and is never read. */
export type ProxyHeader = 'x-forwarded-for' | 'forwarded';

/** Proxies that are believed. */
export interface TrustedProxies {
  /** Addresses and CIDR ranges; none: every peer is the client itself. */
  addresses: readonly string[];
  header: ProxyHeader;
}

export const noProxies: TrustedProxies = { addresses: [], header: 'x-forwarded-for' };

/** A longer header comes from no chain of proxies. */
const MAX_HEADER_LENGTH = 4_096;

/** What of a request is looked at. */
interface Asking {
  socket: { remoteAddress?: string | undefined };
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * The addresses that requests come from. A header counts only where the peer is a trusted proxy, and each proxy vouches only for the address before
 * its own: read from the right, the first address that is no trusted proxy is the client. Where an entry is no address, the last known address
 * counts.
 */
export class ClientAddresses {
  readonly #trusted: BlockList;
  readonly #read: (header: string) => readonly (string | undefined)[];
  readonly #header: ProxyHeader;

  /** @param proxies whose addresses {@link readProxies} has read */
  constructor({ addresses, header }: TrustedProxies) {
    this.#trusted = blockList(addresses);
    this.#header = header;
    this.#read = header === 'forwarded' ? forwardedFor : (text) => text.split(',').map(addressIn);
  }

  /** The client's address; null where the peer is gone, or came by a Unix socket. */
  of({ socket, headers }: Asking): string | null {
    const peer = addressIn((socket.remoteAddress ?? '').split('%', 1)[0] ?? '');
    if (peer === undefined) return null;
    const given = headers[this.#header];
    if (given === undefined || !this.#trusts(peer)) return peer;
    const text = [given].flat().join(',');
    return text.length > MAX_HEADER_LENGTH ? peer : this.#before(peer, [...this.#read(text)].reverse());
  }

  #before(peer: string, hops: readonly (string | undefined)[]): string {
    let client = peer;
    for (const hop of hops) {
      if (hop === undefined || !this.#trusts(client)) break;
      client = hop;
    }
    return client;
  }

  #trusts(address: string): boolean {
    return this.#trusted.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
}

/** A list of addresses and ranges, separated by commas or spaces; undefined where an entry is neither, or is a range of all addresses. */
export function readProxies(text: string): string[] | undefined {
  const given = text.split(/[\s,]+/).filter((each) => each !== '');
  return given.length > 0 && given.every(isRange) ? given : undefined;
}

function isRange(text: string): boolean {
  const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && (bits === undefined || (Number(bits) > 0 && Number(bits) <= (family === 4 ? 32 : 128)));
}

function blockList(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const each of addresses) {
    const [address = '', bits] = each.split('/', 2);
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** The address alone, without port and brackets, in one spelling; undefined for what is none. */
function addressIn(text: string): string | undefined {
  const trimmed = text.trim();
  const [, bracketed] = /^\[([^[\]]*)\](?::\d{1,5})?$/.exec(trimmed) ?? [];
  const [, before] = /^([\d.]+):\d{1,5}$/.exec(trimmed) ?? [];
  const address = bracketed ?? before ?? trimmed;
  if (isIP(address) === 4) return bracketed === undefined ? address : undefined;
  return isIP(address) === 6 && !address.includes('%') ? spelled(address) : undefined;
}

/** The address as RFC 5952 spells it. An IPv4 address written as IPv6 (`::ffff:10.0.0.1`) becomes an IPv4 address. */
function spelled(address: string): string {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const bytes = [high, low].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 0xff]);
  return bytes.join('.');
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** A pair of `Forwarded` (RFC 7239 4), and what stands behind it. */
const PAIR = new RegExp(`[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*)?([;,]|$)`, 'y');

/**
 * The `for` of each element, in order; undefined for an element that has none or several, hides it (`unknown`, `_name`), or can't be read. After an
 * element that can't be read, the elements before it are not read either: a client may have made them.
 */
function forwardedFor(text: string): (string | undefined)[] {
  const elements: (string | undefined)[] = [];
  let current: string[] = [];
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < text.length) {
    const [pair, name, token, quoted, end] = PAIR.exec(text) ?? [];
    if (pair === undefined) return [undefined];
    if (name?.toLowerCase() === 'for') current.push(token ?? quoted ?? '');
    if (end === ';') continue;
    elements.push(only(current));
    current = [];
  }
  return elements;
}

function only([node, another]: readonly string[]): string | undefined {
  if (node === undefined || another !== undefined) return undefined;
  // Without brackets a colon would be a port's (RFC 7239 6).
  return isIP(node) === 6 ? undefined : addressIn(node);
}
