import { hours, seconds, type Duration } from '@windlass/foundation';
import { isOutboundRule } from '@windlass/outbound';
import { asList } from '@windlass/service-kit';
import type { TrustedSigners } from '@windlass/vnf-package';
import { defaultReadingPolicy, type ReadingPolicy } from './reading/package-reader.js';

/** Where packages are fetched from, and the limits of time. */
export interface PackagePolicy {
  /** Hosts that `upload_from_uri` may name: names, `*.example.com` for those below one, addresses. */
  hosts: readonly string[];
  /** Fetching one package, all tries together. */
  fetchWithin: Duration;
  /** When a package's process has been silent for this long, another process takes the package up, or sets it back. */
  abandonedAfter: Duration;
  /** The signers whose signatures count. Without them no signature is verified. */
  signers?: TrustedSigners;
  /** What reading packages may cost. */
  reading: ReadingPolicy;
}

export const defaultPackagePolicy: PackagePolicy = {
  hosts: [],
  fetchWithin: hours(1),
  abandonedAfter: seconds(30),
  reading: defaultReadingPolicy,
};

/** A list of hosts as configuration has it; undefined for what is none. */
export function readPackageHosts(text: string): string[] | undefined {
  const hosts = text === '' ? [] : asList(text);
  return hosts?.every((host) => !host.includes('/') && isOutboundRule(host, 'with hosts')) === true ? hosts : undefined;
}

/** Whether the host is one of these. @param hostname of a URL, with or without brackets around an IPv6 address */
export function isAmong(hosts: readonly string[], hostname: string): boolean {
  const name = plain(hostname);
  return hosts.map(plain).some((host) => (host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host));
}

const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
