import { hours, seconds, type Duration } from '@windlass/foundation';
import { isOutboundRule } from '@windlass/outbound';
import { asList } from '@windlass/service-kit';
import type { TrustedSigners } from '@windlass/vnf-package';
import { defaultReadingPolicy, type ReadingPolicy } from './reading/package-reader.js';

/** From where packages are fetched, and how long what may take. */
export interface PackagePolicy {
  /** Hosts that `upload_from_uri` may name: names, `*.example.com` for those below one, addresses. */
  hosts: readonly string[];
  /** Fetching one package, all tries together. */
  fetchWithin: Duration;
  /** A package in hand whose process has not been heard of for this long is taken up by another, or set back. */
  abandonedAfter: Duration;
  /** Whose signatures count. Without them none is verified. */
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

/** Whether one of the hosts is this one. @param hostname of a URL, IPv6 addresses in brackets or not */
export function isAmong(hosts: readonly string[], hostname: string): boolean {
  const name = plain(hostname);
  return hosts.map(plain).some((host) => (host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host));
}

const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
