import { accessOf, AccessConfig, type Access } from '@windlass/lcm-api';
import type { MessagingLog } from '@windlass/messaging';
import { readConfig } from '@windlass/service-kit';

/** Values of lcm-api's other variables, which authentication does not read. */
const REST = {
  NATS_URL: 'nats://127.0.0.1:1',
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  MASTER_KEY: '0'.repeat(64),
};

/** The authentication that lcm-api makes of this environment. @throws ConfigError as the service does at its start */
export const accessBy = async (environment: Readonly<Record<string, string>>, log = listening([])): Promise<Access> =>
  accessOf(readConfig(AccessConfig, { ...REST, ...environment }), log);

/** A log whose lines are kept. */
export function listening(lines: string[]): MessagingLog {
  const keep =
    (level: string) =>
    (message: string, fields?: unknown): void =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  return { info: keep('info'), warn: keep('warn'), error: keep('error') };
}
