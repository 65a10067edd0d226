import { Secret } from '@windlass/foundation';
import type { VimConnection } from '@windlass/openstack';

/** The value of a variable that tools/openstack/up.sh prints, and that `./windlass test --openstack` sets. */
export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(
      `${name} is not set: these tests need a real OpenStack; run ./windlass test --openstack, or tools/openstack/up.sh and load what it prints`,
    );
  }
  return value;
}

/** A user of the real OpenStack, with a project. */
export interface ProjectUser {
  name: string;
  password: string;
  project: string;
}

const ordinary = (): ProjectUser => ({
  name: required('OS_USERNAME'),
  password: required('OS_PASSWORD'),
  project: required('OS_PROJECT_NAME'),
});

/** The connection to the tests' real OpenStack, as its ordinary user unless another is given. */
export const realConnection = ({ name, password, project } = ordinary()) =>
  ({
    authUrl: required('OS_AUTH_URL'),
    region: required('OS_REGION_NAME'),
    credentials: {
      kind: 'password',
      username: name,
      password: new Secret(password),
      userDomain: required('OS_USER_DOMAIN_NAME'),
      project,
      projectDomain: required('OS_PROJECT_DOMAIN_NAME'),
    },
  }) as const satisfies VimConnection;
