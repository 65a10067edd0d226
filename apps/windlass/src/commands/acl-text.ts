import { natsAuthorization } from '@windlass/embedded';
import { RequestError } from '@windlass/foundation';
import { userPermissions, type Part } from '@windlass/messaging';
import { driverParts, SERVICES } from '../deployment/services.js';

export type AclFormat = 'nats-server' | 'json';

/** Stands for the bcrypt hash of a service's password. A server that is not told it does not start, so that none is forgotten. */
export const passwordVariable = (service: string): string => `WINDLASS_${service.toUpperCase().replaceAll('-', '_')}_PASSWORD`;

/** A service that is no part of Windlass, and the management drivers that it serves. */
export interface ThirdParty {
  name: string;
  drivers: readonly string[];
}

export interface AclOptions {
  /** This one alone. */
  service?: string | undefined;
  /** Beside our own. */
  thirdParties?: readonly ThirdParty[];
}

/**
 * What the operator of a NATS of their own must allow, a user a service; `libs/messaging/src/acl` says what.
 * @throws RequestError 404 for a service that is none; 409 for a third party that takes the name of ours, or a driver of another service
 */
export function natsAcl(format: AclFormat, { service, thirdParties = [] }: AclOptions = {}): string {
  const own = SERVICES.map(({ name, parts }) => ({ name, parts }));
  const all = [...own, ...thirdParties.map(({ name, drivers }) => ({ name, parts: driverParts(name, drivers) }))];
  assertApart(all);
  const chosen = all.filter(({ name }) => service === undefined || name === service);
  if (chosen.length === 0) {
    const names = all.map(({ name }) => name).join(', ');
    throw new RequestError(
      404,
      'acl.unknown-service',
      `there is no service ${service ?? ''}: expected one of ${names}, or one that --third-party names`,
    );
  }
  const users = chosen.map(({ name, parts }) => ({ name, permissions: userPermissions(name, parts) }));
  if (format === 'nats-server') {
    const password = ({ name }: { name: string }): string => `$${passwordVariable(name)}`;
    return `${HEAD}${natsAuthorization(users.map((user) => ({ ...user, password: password(user) })))}`;
  }
  const shown = users.map(({ name, permissions: { publish, subscribe } }) => ({
    user: name,
    permissions: { publish: { allow: publish }, subscribe: { allow: subscribe }, allow_responses: { max: 1, expires: '5m' } },
  }));
  return `${JSON.stringify({ users: shown }, null, 2)}\n`;
}

/** Two users of one name are one; and who serves another's driver is asked in its place. */
function assertApart(all: readonly { name: string; parts: readonly Part[] }[]): void {
  const taken = new Map<string, string>();
  const take = (what: string, by: string): void => {
    const other = taken.get(what);
    if (other !== undefined) throw new RequestError(409, 'acl.taken', `${what} is ${other} already: give ${by} another name`);
    taken.set(what, by);
  };
  for (const { name, parts } of all) {
    take(`the name ${name}`, `the service ${name}`);
    for (const part of parts)
      if (part.kind === 'driver') for (const driver of part.drivers) take(`the driver ${driver}`, `a driver of ${name}`);
  }
}

const HEAD = `# Users of Windlass and what each may do. In nats-server.conf: include "windlass-users.conf"
# The server's environment has a bcrypt hash for each variable ("nats server passwd" makes one); a server without one does not start.
# JetStream must be on, max_control_line at least 8KB and max_payload at least 2MB; 8MB, with which VNFs may have more than 500 VNFCs.
`;
