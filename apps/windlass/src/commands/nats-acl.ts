import { natsAuthorization } from '@windlass/embedded';
import { RequestError } from '@windlass/foundation';
import { userPermissions } from '@windlass/messaging';
import { Command, Option } from 'commander';
import { SERVICES } from '../deployment/services.js';

export type AclFormat = 'nats-server' | 'json';

/** Stands for the bcrypt hash of a service's password. A server that is not told it does not start, so that none is forgotten. */
export const passwordVariable = (service: string): string => `WINDLASS_${service.toUpperCase().replaceAll('-', '_')}_PASSWORD`;

/**
 * What the operator of a NATS of their own must allow, a user a service; `libs/messaging/src/acl` says what.
 * @throws RequestError 404 for a service that is none
 */
export function natsAcl(format: AclFormat, service?: string): string {
  const chosen = SERVICES.filter(({ name }) => service === undefined || name === service);
  if (chosen.length === 0) {
    const names = SERVICES.map(({ name }) => name).join(', ');
    throw new RequestError(404, 'acl.unknown-service', `there is no service ${service ?? ''}: expected one of ${names}`);
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

const HEAD = `# Users of Windlass and what each may do. In nats-server.conf: include "windlass-users.conf"
# The server's environment has a bcrypt hash for each variable ("nats server passwd" makes one); a server without one does not start.
# JetStream must be on, max_payload at least 2MB and max_control_line at least 8KB.
`;

/** `./windlass nats-acl`. */
export function natsAclCommand(): Command {
  return new Command('nats-acl')
    .description('print the users and permissions that a NATS of your own must have')
    .addOption(
      new Option('--format <format>', 'as an include file of nats-server, or as JSON')
        .choices(['nats-server', 'json'])
        .default('nats-server'),
    )
    .option('--service <name>', 'of this service only')
    .action(
      ({ format, service }: { format: AclFormat; service?: string }) => void process.stdout.write(natsAcl(format, service)),
    );
}
