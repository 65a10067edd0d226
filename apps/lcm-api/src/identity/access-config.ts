import { Min } from 'class-validator';
import { minutes, seconds, type Duration, type Secret } from '@windlass/foundation';
import { asDuration, asFlag, asInteger, asList, asSecret, asUrl, required, Variable, type Role } from '@windlass/service-kit';
import { ServerTlsConfig } from '../http/tls-config.js';
import { DEFAULT_ATTEMPTS } from './authentication.js';
import { JWT_ALGORITHMS } from './jwt-algorithms.js';
import { KEYSTONE_ROLES, readMapping, readRoles, type Mapping } from './mapping.js';

const text = (name: string, meaning: string, expected: string) => Variable({ name, meaning, expected, optional: true });

/** Who may ask, as the REST gateway is told: each way in by variables of its own, any number of them at once. */
export class AccessConfig extends ServerTlsConfig {
  @Variable({
    name: 'LCM_TOKEN',
    meaning: 'one static token, of an admin of LCM_PROJECT: in X-Auth-Token or as a bearer',
    expected: 'a text of 16 characters at least',
    read: (given) => (given.length >= 16 ? asSecret(given) : undefined),
    secret: true,
    optional: true,
  })
  readonly token: Secret | undefined = required();

  @Variable({
    name: 'LCM_PROJECT',
    meaning:
      'the operator’s own project: LCM_TOKEN speaks for it, and its admins alone manage what belongs to no project (drivers, enrolment, the trail of the unknown)',
    expected: 'a project name; with Keystone the project’s id',
  })
  readonly project: string = 'default';

  @text(
    'LCM_TOKENS_FILE',
    'static tokens, each with a project and roles; read again when it changes',
    'the path of a file that "windlass access add-token" writes',
  )
  readonly tokensFile: string | undefined = required();

  @text(
    'LCM_USERS_FILE',
    'users of HTTP Basic, each with a project and roles; read again when it changes',
    'the path of a file that "windlass access add-user" writes',
  )
  readonly usersFile: string | undefined = required();

  @Variable({
    name: 'LCM_KEYSTONE_URL',
    meaning: 'where Keystone is: tokens in X-Auth-Token are validated there',
    expected: 'an http or https URL, with or without /v3',
    optional: true,
    read: asUrl('http:', 'https:'),
  })
  readonly keystoneUrl: string | undefined = required();

  @Variable({
    name: 'LCM_KEYSTONE_PUBLIC_URL',
    meaning: 'where clients get tokens, as answers with 401 tell it; LCM_KEYSTONE_URL by default',
    expected: 'an http or https URL',
    optional: true,
    read: asUrl('http:', 'https:'),
  })
  readonly keystonePublicUrl: string | undefined = required();

  @text('LCM_KEYSTONE_USER', 'this service’s own user, who may validate tokens: with the role service or admin', 'a user name')
  readonly keystoneUser: string | undefined = required();

  @Variable({
    name: 'LCM_KEYSTONE_PASSWORD',
    meaning: 'the password of LCM_KEYSTONE_USER',
    expected: 'a password',
    read: asSecret,
    secret: true,
    optional: true,
  })
  readonly keystonePassword: Secret | undefined = required();

  @Variable({ name: 'LCM_KEYSTONE_USER_DOMAIN', meaning: 'the domain of LCM_KEYSTONE_USER', expected: 'a domain name' })
  readonly keystoneUserDomain: string = 'Default';

  @Variable({ name: 'LCM_KEYSTONE_PROJECT', meaning: 'the project of LCM_KEYSTONE_USER', expected: 'a project name' })
  readonly keystoneProject: string = 'service';

  @Variable({ name: 'LCM_KEYSTONE_PROJECT_DOMAIN', meaning: 'the domain of LCM_KEYSTONE_PROJECT', expected: 'a domain name' })
  readonly keystoneProjectDomain: string = 'Default';

  @text(
    'LCM_KEYSTONE_CA_FILE',
    'whom Keystone’s certificate must be from, with https',
    'the path of a file with certificates in PEM',
  )
  readonly keystoneCaFile: string | undefined = required();

  @Variable({
    name: 'LCM_KEYSTONE_CACHE',
    meaning: 'how long Keystone’s answer about a token counts; a token that is revoked is good for so long',
    expected: 'a length of time such as 1m, at most 10m',
    read: (given) => {
      const time = asDuration(given);
      return time === undefined || time > minutes(10) ? undefined : time;
    },
  })
  readonly keystoneCache: Duration = seconds(60);

  @Variable({
    name: 'LCM_KEYSTONE_ROLES',
    meaning: 'what the roles of Keystone are here',
    expected: 'role=reader, role=operator or role=admin, separated by commas',
    read: readRoles,
  })
  readonly keystoneRoles: Mapping<Role> = KEYSTONE_ROLES;

  @Variable({
    name: 'LCM_KEYSTONE_TENANTS',
    meaning:
      'projects of Keystone whose objects belong to a project of another name here, such as that of LCM_TOKEN; all others go by their id',
    expected: 'id=project, separated by commas',
    optional: true,
    read: readMapping,
  })
  readonly keystoneTenants: Mapping | undefined = required();

  @text('LCM_JWT_ISSUER', 'who issues the OAuth2 access tokens (JWT) that are taken as bearers', 'what their claim iss says')
  readonly jwtIssuer: string | undefined = required();

  @text('LCM_JWT_AUDIENCE', 'whom those tokens must be for', 'what their claim aud says')
  readonly jwtAudience: string | undefined = required();

  @Variable({
    name: 'LCM_JWT_JWKS_URL',
    meaning: 'where that issuer shows its keys; they are fetched again when a token names an unknown one',
    expected: 'an https URL; http on loopback alone',
    optional: true,
    read: asKeysUrl,
  })
  readonly jwtJwksUrl: string | undefined = required();

  @Variable({
    name: 'LCM_JWT_ALGORITHMS',
    meaning: 'signatures that are taken',
    expected: `some of ${JWT_ALGORITHMS.join(', ')}, separated by commas`,
    read: (given) => {
      const list = asList(given);
      return list?.every((each) => (JWT_ALGORITHMS as readonly string[]).includes(each)) === true ? list : undefined;
    },
  })
  readonly jwtAlgorithms: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];

  @Variable({
    name: 'LCM_JWT_USER_CLAIM',
    meaning: 'the claim that says who it is',
    expected: 'a claim; a dot leads into an object',
  })
  readonly jwtUserClaim: string = 'sub';

  @Variable({
    name: 'LCM_JWT_TENANT_CLAIM',
    meaning: 'the claim that says of which project',
    expected: 'a claim; a dot leads into an object',
  })
  readonly jwtTenantClaim: string = 'project_id';

  @Variable({
    name: 'LCM_JWT_ROLES_CLAIM',
    meaning: 'the claim that says with which roles: a list, or a text with spaces between',
    expected: 'a claim such as scope or realm_access.roles',
  })
  readonly jwtRolesClaim: string = 'roles';

  @Variable({
    name: 'LCM_JWT_ROLES',
    meaning: 'what the roles of that claim are here',
    expected: 'role=reader, role=operator or role=admin, separated by commas',
    read: readRoles,
  })
  readonly jwtRoles: Mapping<Role> = { reader: 'reader', operator: 'operator', admin: 'admin' };

  @Variable({
    name: 'LCM_AUTHENTICATION_IS_OFF',
    meaning: 'everybody who reaches this service is an admin of LCM_PROJECT; for trying alone, and not beside any way above',
    expected: 'true or false',
    read: asFlag,
  })
  readonly authenticationIsOff: boolean = false;

  @Variable({
    name: 'LCM_FAILED_ATTEMPTS',
    meaning: 'failed authentications a minute from one address; after them it gets 429 until the minute is over',
    expected: 'a whole number above 0',
    read: asInteger,
  })
  @Min(1)
  readonly failedAttempts: number = DEFAULT_ATTEMPTS;

  @Variable({
    name: 'LCM_REQUESTS_PER_SECOND',
    meaning: 'requests a second that one user or token may send to one replica; any number by default',
    expected: 'a whole number above 0',
    optional: true,
    read: (given) => asInteger(given) || undefined,
  })
  readonly requestsPerSecond: number | undefined = required();
}

/** A URL of keys, by https or on this machine: whoever can change the keys on their way decides who gets in. */
function asKeysUrl(given: string): string | undefined {
  const url = asUrl('http:', 'https:')(given);
  if (url === undefined) return undefined;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) ? url : undefined;
}
