import { WindlassError } from '@windlass/foundation';
import type { VimConnection } from '../session/connection.js';
import { keystoneUrl } from '../session/authentication.js';
import { endpointOf, type ServiceType } from '../session/service-catalog.js';
import type { IssuedToken } from '../session/token-cache.js';
import type { OpenStack } from '../openstack.js';
import { commandLine, findingsOf, type Finding } from './findings.js';
import type { VimNeeds } from './vim-needs.js';

/** Roles that can make servers in a usual OpenStack. */
const MAKERS = ['member', '_member_', 'Member', 'admin', 'manager'];

/** The cheapest question that shows that the service answers this user at the version in use. */
const PROBES: Readonly<Record<ServiceType, { name: string; path: string; query?: Record<string, string> }>> = {
  orchestration: { name: 'Heat', path: '/stacks', query: { limit: '1' } },
  compute: { name: 'Nova', path: '/limits' },
  network: { name: 'Neutron', path: '/networks', query: { limit: '1', fields: 'id' } },
  image: { name: 'Glance', path: '/images', query: { limit: '1' } },
  volume: { name: 'Cinder', path: '/limits' },
};

/** Login, roles, and how safe the way to Keystone is. Without a token nothing else can be looked at. */
export async function checkLogin(
  openStack: OpenStack,
  connection: VimConnection,
): Promise<{ findings: Finding[]; token?: IssuedToken }> {
  const told = findingsOf('access.login', keystoneUrl(connection.authUrl));
  let token: IssuedToken;
  try {
    token = await openStack.session.token();
  } catch (error) {
    return { findings: [told.failed(messageOf(error), todoFor(error))] };
  }
  const user = `user ${token.userName} on project ${token.projectName ?? 'none'}`;
  if (token.projectId === undefined)
    return {
      findings: [told.failed(`${user}: a token without a project`, { todo: 'name the project of the VIM: OS_PROJECT_NAME' })],
    };
  return { findings: [told.ok(user), roles(token), tls(connection)], token };
}

function roles(token: IssuedToken): Finding {
  const told = findingsOf('access.roles', token.roles.join(', ') || 'none');
  const more = {
    todo: 'have an administrator grant a role that may make servers',
    command: commandLine('openstack', 'role', 'add', '--user', token.userId, '--project', token.projectId ?? '', 'member'),
  };
  if (token.roles.some((role) => MAKERS.includes(role))) return told.ok('may make servers, unless policy says otherwise');
  const reading = token.roles.every((role) => role === 'reader');
  return reading
    ? told.failed('only reads: it can make nothing', more)
    : told.warning('none of the usual roles that make servers: policy decides', more);
}

function tls({ authUrl, tls: options = {} }: VimConnection): Finding {
  const told = findingsOf('access.tls', new URL(keystoneUrl(authUrl)).host);
  if (!keystoneUrl(authUrl).startsWith('https:'))
    return told.warning('plain HTTP: passwords and tokens go in the clear', {
      todo: 'take the https URL of Keystone, if there is one',
    });
  if (options.verify === false)
    return told.warning('certificates are not verified: anybody can be this VIM', {
      todo: 'register the VIM with its CA (ca_cert) and cert_verify on',
    });
  return told.ok(options.ca === undefined ? 'verified by the authorities of the machine' : 'verified by the given CA');
}

/** Each service that is needed: in the catalog, reachable, and answering this user. @returns those that do */
export async function checkServices(
  openStack: OpenStack,
  connection: VimConnection,
  needs: VimNeeds,
  token: IssuedToken,
): Promise<{ findings: Finding[]; answering: Set<ServiceType> }> {
  const answering = new Set<ServiceType>();
  const findings = await Promise.all(
    needs.services.map(async (service): Promise<Finding> => {
      const { name, path, query } = PROBES[service];
      const told = findingsOf('access.service', name);
      try {
        const url = endpointOf(token.catalog, service, {
          interface: connection.interface ?? 'public',
          region: connection.region,
        });
        await openStack.session.request(service, {
          method: 'GET',
          path,
          ...(query === undefined ? {} : { query }),
          expect: [200],
        });
        answering.add(service);
        return told.ok(url);
      } catch (error) {
        return told.failed(messageOf(error), todoFor(error, service));
      }
    }),
  );
  return { findings, answering };
}

/** Of which services the time is taken; some Keystones tell none. */
const CLOCKS = [
  ['identity', 'Keystone', ''],
  ['network', 'Neutron', '/networks'],
  ['compute', 'Nova', '/limits'],
] as const;

/** How far the VIM's clock is from ours, by the Date of an answer, which is cut to seconds. */
export async function checkClock(openStack: OpenStack, allowedMs: number, now: () => number): Promise<Finding> {
  for (const [service, name, path] of CLOCKS) {
    const before = now();
    const query = service === 'network' ? { limit: 1, fields: 'id' } : {};
    const answer = await openStack.session.request(service, { method: 'GET', path, query, expect: [200] });
    const theirs = Date.parse(answer.headers.date ?? '');
    if (!Number.isNaN(theirs)) return clockFinding(name, theirs, { before, after: now() }, allowedMs);
  }
  return findingsOf('clock', 'VIM').note('its answers have no Date', { todo: 'compare the clocks by hand: "date -u" on both' });
}

/** Its second may have begun up to a second before, and any time between asking and answer. */
export function clockFinding(
  service: string,
  theirs: number,
  { before, after }: { before: number; after: number },
  allowedMs: number,
): Finding {
  const told = findingsOf('clock', service);
  const apart = theirs > after ? theirs - after : Math.max(0, before - (theirs + 1_000));
  const says =
    apart === 0 ? 'the same, to a second' : `${Math.round(apart / 1_000)} s ${theirs > after ? 'ahead of' : 'behind'} ours`;
  if (apart <= allowedMs) return told.ok(says);
  return told.failed(
    `${says}, ${Math.round(allowedMs / 1_000)} s are allowed between nodes and k8s-mgmt (NODE_CLOCK_DIFFERENCE)`,
    {
      todo: 'servers take their time from their hosts: have both sides synchronised by NTP',
      command: 'timedatectl timesync-status',
    },
  );
}

/** A message for people; ours carry no secret. */
export const messageOf = (error: unknown): string =>
  error instanceof WindlassError ? error.message : 'it could not be looked at: an error inside of Windlass';

function todoFor(error: unknown, service?: ServiceType): { todo: string; command?: string } {
  const code = error instanceof WindlassError ? error.code : '';
  const type = service === undefined ? '' : service === 'volume' ? 'volumev3' : service;
  if (code === 'openstack.no-endpoint')
    return {
      todo: 'have the service and its endpoint registered, or name another region',
      command: commandLine('openstack', 'catalog', 'show', type),
    };
  if (code === 'openstack.unauthorized')
    return { todo: 'correct user, password, project or their domains', command: 'openstack token issue' };
  if (code.startsWith('openstack.tls'))
    return { todo: 'give the CA that signed its certificate: ca_cert of the VIM, or OS_CACERT' };
  if (code === 'openstack.forbidden')
    return {
      todo: 'have an administrator grant a role that may',
      command: 'openstack role assignment list --names --user <user> --project <project>',
    };
  return {
    todo: 'see whether the service runs and is reached from where Windlass runs',
    command: commandLine('openstack', 'catalog', 'list'),
  };
}
