import { Secret, minutes } from '@windlass/foundation';
import { stackContract } from './stack-contract.js';

/** The environment that tools/openstack/up.sh prints; `./windlass test --openstack` sets it. */
function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(
      `${name} is not set: these tests need a real OpenStack; run ./windlass test --openstack, or tools/openstack/up.sh and load what it prints`,
    );
  }
  return value;
}

stackContract('a real OpenStack', () =>
  Promise.resolve({
    connection: {
      authUrl: required('OS_AUTH_URL'),
      region: required('OS_REGION_NAME'),
      credentials: {
        kind: 'password',
        username: required('OS_USERNAME'),
        password: new Secret(required('OS_PASSWORD')),
        userDomain: required('OS_USER_DOMAIN_NAME'),
        project: required('OS_PROJECT_NAME'),
        projectDomain: required('OS_PROJECT_DOMAIN_NAME'),
      },
    },
    within: minutes(3),
    close: () => Promise.resolve(),
  }),
);
