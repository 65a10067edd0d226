import { Secret } from '@windlass/foundation';
import type { CatalogEndpoint, VimConnection } from '@windlass/openstack';
import type { registeredAccess } from '@windlass/persistence';

/** The access to an OpenStack that is registered, or that a request describes, as its client takes it. */
export const connectionOf = (access: Awaited<ReturnType<typeof registeredAccess>>): VimConnection => ({
  authUrl: access.authUrl,
  ...(access.region === undefined ? {} : { region: access.region }),
  credentials: {
    kind: 'password',
    username: access.username,
    password: new Secret(access.password),
    userDomain: access.userDomainId === undefined ? access.userDomainName : { id: access.userDomainId },
    project: access.projectId === undefined ? access.projectName : { id: access.projectId },
    projectDomain: access.projectDomainId === undefined ? access.projectDomainName : { id: access.projectDomainId },
  },
  tls: {
    verify: access.verifyTls,
    verifyHostname: access.verifyHostname ?? true,
    ...(access.ca === undefined ? {} : { ca: access.ca }),
  },
});

/** What is wrong with a region in which the catalog has nothing, with those that it has. */
export function absentRegion(region: string | undefined, catalog: readonly CatalogEndpoint[]): string | undefined {
  const there = [...new Set(catalog.flatMap((endpoint) => endpoint.region ?? []))].sort();
  if (region === undefined || there.includes(region)) return undefined;
  return `the catalog has no region "${region}"; it has: ${there.join(', ') || 'none'}`;
}
