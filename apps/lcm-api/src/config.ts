import { minutes, seconds, type Duration } from '@windlass/foundation';
import { asDuration, asFlag, asInteger, asPublicUrl, required, Variable } from '@windlass/service-kit';
import { Max, Min } from 'class-validator';
import { noProxies, readProxies, type ProxyHeader } from './caller/client-address.js';
import { AccessConfig } from './identity/access-config.js';
import { defaultSenderPolicy } from './notifications/notification-senders.js';
import { DEFAULT_MOST, type NotificationOptions } from './notifications/subscription-services.js';
import { defaultEventStreams } from './observability/event-stream-limits.js';
import { defaultPackagePolicy, readPackageHosts, type PackagePolicy } from './packages/package-policy.js';
import type { ProjectQuotas } from './quotas/project-quotas.js';
import { readPackageSigners, signersOf, type SignaturesWanted } from './packages/package-signers.js';

/** What the REST gateway can be told. */
export class LcmApiConfig extends AccessConfig {
  @Variable({
    name: 'LCM_HOST',
    meaning: 'the address that the REST API is served on',
    expected: 'an IP address or a host name; anything but loopback is reachable from outside',
  })
  readonly host: string = '127.0.0.1';

  @Variable({
    name: 'LCM_PORT',
    meaning: 'the port of the REST API',
    expected: 'a port between 0 and 65535 (0: a free one, which is logged)',
    read: asInteger,
  })
  @Min(0)
  @Max(65_535)
  readonly port: number = 9890;

  @Variable({
    name: 'WINDLASS_PUBLIC_URL',
    meaning:
      'where clients find this API: all links and Location headers begin with it, whatever a request says of its host. By default where the API listens, which is right on this machine alone',
    expected:
      'an http or https URL without credentials, query and fragment, such as https://vnfm.example or https://example.com/vnfm',
    optional: true,
    read: asPublicUrl,
  })
  readonly publicUrl: string | undefined = required();

  @Variable({
    name: 'LCM_ENDPOINT',
    meaning: 'what WINDLASS_PUBLIC_URL was called before; with it the service does not start',
    expected: 'nothing: give WINDLASS_PUBLIC_URL instead',
    optional: true,
    read: () => undefined,
  })
  readonly formerEndpoint: undefined = required();

  @Variable({
    name: 'LCM_TRUSTED_PROXIES',
    meaning:
      'proxies before this service, whose word about where a request comes from is taken; without it the trail tells their addresses',
    expected: 'addresses and CIDR ranges separated by commas, such as 10.0.0.7,fd00::/64; not all addresses',
    read: readProxies,
  })
  readonly trustedProxies: readonly string[] = noProxies.addresses;

  @Variable({
    name: 'LCM_PROXY_HEADER',
    meaning:
      'the header in which those proxies add where a request comes from; the other one is not read, since it may be the client’s own',
    expected: 'x-forwarded-for or forwarded (RFC 7239)',
    read: (text) => (['x-forwarded-for', 'forwarded'].includes(text.toLowerCase()) ? text.toLowerCase() : undefined),
  })
  readonly proxyHeader: ProxyHeader = noProxies.header;

  @Variable({
    name: 'LCM_MAX_PACKAGE_BYTES',
    meaning: 'the largest VNF package that is taken in',
    expected: 'a number of bytes',
    read: asInteger,
  })
  @Min(1024)
  readonly maxPackageBytes: number = 10 * 1024 ** 3;

  @Variable({
    name: 'LCM_PACKAGE_HOSTS',
    meaning:
      'the hosts that VNF packages are fetched from by upload_from_uri, and the artifacts that packages name by URL: none by default. Where the addresses of such a host lie is a matter of OUTBOUND_* besides',
    expected: 'host names (*.example.com for those below) and addresses separated by commas',
    read: readPackageHosts,
  })
  readonly packageHosts: readonly string[] = defaultPackagePolicy.hosts;

  @Variable({
    name: 'LCM_PACKAGE_FETCH_TIMEOUT',
    meaning: 'how long fetching one VNF package by upload_from_uri may take in all, and then the artifacts that it names by URL',
    expected: 'a length of time such as 1h, at least 1s',
    read: asDuration,
  })
  @Min(seconds(1))
  readonly packageFetchWithin: Duration = defaultPackagePolicy.fetchWithin;

  @Variable({
    name: 'LCM_PACKAGE_SIGNERS',
    meaning:
      'whose VNF packages are taken: certificates of signers, and of authorities whose certificates sign (SOL004). Read once, at the start. Without it no signature is verified, and a package that carries one is warned of',
    expected: 'a folder with certificates in PEM, in files that end in .pem, .crt, .cer or .cert',
    optional: true,
    read: readPackageSigners,
  })
  readonly packageSigners: readonly string[] | undefined = required();

  @Variable({
    name: 'LCM_PACKAGE_SIGNATURES',
    meaning:
      'with LCM_PACKAGE_SIGNERS, whether a VNF package that nobody has signed is refused, which it is by default, or taken with a warning. A signature that is wrong, or of somebody else, is refused either way',
    expected: 'required or optional',
    optional: true,
    read: (text) => (['required', 'optional'].includes(text) ? text : undefined),
  })
  readonly packageSignatures: SignaturesWanted | undefined = required();

  @Variable({
    name: 'LCM_PACKAGES_PER_PROJECT',
    meaning: 'VNF packages that one project may have; one more is refused with 409. Any number by default',
    expected: 'a whole number above 0',
    optional: true,
    read: asQuota,
  })
  readonly packagesPerProject: number | undefined = required();

  @Variable({
    name: 'LCM_PACKAGE_BYTES_PER_PROJECT',
    meaning:
      'what the archives of one project’s VNF packages may take together, those on their way included; an upload beyond that is refused with 413. Any number by default',
    expected: 'a number of bytes above 0',
    optional: true,
    read: asQuota,
  })
  readonly packageBytesPerProject: number | undefined = required();

  @Variable({
    name: 'LCM_VNF_INSTANCES_PER_PROJECT',
    meaning: 'VNF instances that one project may have; one more is refused with 409. Any number by default',
    expected: 'a whole number above 0',
    optional: true,
    read: asQuota,
  })
  readonly vnfInstancesPerProject: number | undefined = required();

  @Variable({
    name: 'LCM_EVENT_STREAMS',
    meaning: 'live event streams that one replica serves at once',
    expected: 'a whole number above 0',
    read: asInteger,
  })
  @Min(1)
  readonly eventStreams: number = defaultEventStreams.streams;

  @Variable({
    name: 'LCM_EVENT_STREAMS_PER_PROJECT',
    meaning: 'live event streams of one project among them',
    expected: 'a whole number above 0',
    read: asInteger,
  })
  @Min(1)
  readonly eventStreamsPerProject: number = defaultEventStreams.streamsPerProject;

  @Variable({
    name: 'LCM_EVENT_STREAM_LIFETIME',
    meaning: 'after how long a live event stream ends, so that its client comes again and is authenticated again',
    expected: 'a length of time such as 1h, at least 1m',
    read: asDuration,
  })
  @Min(minutes(1))
  readonly eventStreamLifetime: Duration = defaultEventStreams.lifetime;

  @Variable({
    name: 'LCM_TEST_CALLBACKS',
    meaning: 'whether the callback of a subscription is asked (GET, expecting 204) before it is taken',
    expected: 'true or false',
    read: asFlag,
  })
  readonly testCallbacks: boolean = true;

  @Variable({
    name: 'LCM_SUBSCRIPTIONS_PER_PROJECT',
    meaning:
      'subscriptions that one project may have at each API (vnflcm v1, vnflcm v2, vnfpkgm v1); one more is refused with 409',
    expected: 'a whole number above 0',
    read: asInteger,
  })
  @Min(1)
  readonly subscriptionsPerProject: number = DEFAULT_MOST;

  @Variable({
    name: 'LCM_NOTIFICATIONS_KEEP',
    meaning: 'how long a notification is tried to be delivered before it is dropped',
    expected: 'a length of time such as 24h, at least 1m',
    read: asDuration,
  })
  @Min(minutes(1))
  readonly notificationsKeep: Duration = defaultSenderPolicy.keep;

  @Variable({
    name: 'LCM_NOTIFICATIONS_PENDING',
    meaning: 'notifications that may wait for one subscription; of more the oldest are dropped',
    expected: 'a whole number above 0',
    read: asInteger,
  })
  @Min(1)
  readonly notificationsPending: number = defaultSenderPolicy.maxPending;

  @Variable({
    name: 'LCM_NOTIFICATIONS_WITHIN',
    meaning: 'how long one delivery may take',
    expected: 'a length of time such as 10s, from 1s to 20s',
    read: asDuration,
  })
  @Min(seconds(1))
  @Max(seconds(20))
  readonly notificationsWithin: Duration = defaultSenderPolicy.within;
}

/** What a project may have, as configured. */
export const quotasOf = (config: LcmApiConfig): ProjectQuotas => ({
  packages: config.packagesPerProject,
  packageBytes: config.packageBytesPerProject,
  vnfInstances: config.vnfInstancesPerProject,
});

/** A quota of 0 counts as none given: a project that is to have nothing gets no role. */
function asQuota(text: string): number | undefined {
  return asInteger(text) || undefined;
}

/** From where packages are fetched and whose are taken, as configured. @throws ConfigError for signatures that are asked for without signers */
export function packagesOf(config: LcmApiConfig): Partial<PackagePolicy> {
  const signers = signersOf(config.packageSigners, config.packageSignatures);
  return { hosts: config.packageHosts, fetchWithin: config.packageFetchWithin, ...(signers === undefined ? {} : { signers }) };
}

/** How notifications are sent, as configured. */
export const notificationsOf = (config: LcmApiConfig): NotificationOptions => ({
  testsCallbacks: config.testCallbacks,
  most: config.subscriptionsPerProject,
  senders: { keep: config.notificationsKeep, maxPending: config.notificationsPending, within: config.notificationsWithin },
});
