import { Secret } from '@windlass/foundation';
import type { VimConnection } from '@windlass/openstack';
import type { registeredAccess } from '@windlass/persistence';

/** A registered OpenStack's access, as its client takes it. */
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
  tls: { verify: access.verifyTls, ...(access.ca === undefined ? {} : { ca: access.ca }) },
});
