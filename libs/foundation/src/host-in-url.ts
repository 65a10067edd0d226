import { isIPv6 } from 'node:net';

/** A host as it stands in a URL, and before a port (RFC 3986 3.2.2): IPv6 in brackets, all else as it is. */
export const hostInUrl = (address: string): string => (isIPv6(address) ? `[${address}]` : address);
