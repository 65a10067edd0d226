import type { PackageFile } from '@windlass/mgmt-driver';

/** Repositories of Kubernetes packages that were shut down. The last one also served the signing key of the first, and the packages for yum. */
const GONE: readonly string[] = ['apt.kubernetes.io', 'yum.kubernetes.io', 'packages.cloud.google.com'];

/**
 * SHA-256 of the install scripts of the reference's packages that take Kubernetes from apt.kubernetes.io. They exit with 0 after several of their
 * failures. For a package that an earlier release onboarded no hosts are recorded, and only this digest identifies the script.
 */
const SCRIPTS_OF_THE_REFERENCE: readonly string[] = [
  // 2021
  '2489f6162817cce794a6f19a88c3c76ce83fa19cfcb75ad1204d76aaba4a9d1c',
  'ec6423c8d68ff19e0d44b1437eddefa410a5ed43a434fa51ed07bde5a6d06abe',
  // 2022
  '0ae546c4fa9a185e8076dfb181e2f87c613d4a40e4eabfe43f5139f161610433',
  '78262ac2126191ce7f6420fd7f37c74e2ce849583cc392c1593a8e4e5c263047',
  // Of the external load balancer: kubectl.
  '0b2445403a4b2ce2f905c2b7f77dcdb444a1e445379a11c6aca8e87d4b1f8198',
];

/** Why an install script can no longer work on any VM; undefined where no reason is known. */
export function whyOutdated({ sha256, hosts = [] }: PackageFile): string | undefined {
  const gone = hosts.find((host) => GONE.includes(host));
  if (gone !== undefined) return `it takes Kubernetes from ${gone}, which was shut down`;
  if (!SCRIPTS_OF_THE_REFERENCE.includes(sha256.toLowerCase())) return undefined;
  return 'it takes Kubernetes from apt.kubernetes.io, which was shut down (known by its SHA-256)';
}
