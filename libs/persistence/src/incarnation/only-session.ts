import { RequestError } from '@windlass/foundation';
import type { Client } from 'pg';

/**
 * Services that run would work with what they know of the record before.
 * @throws RequestError 409 `backup.in-use` where the role that services connect as has other sessions in the database
 */
export async function onlySession(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY name`,
  );
  if (rows.length === 0) return;
  throw new RequestError(
    409,
    'backup.in-use',
    `the database is in use by ${rows.map(({ name }) => name || 'a program without a name').join(', ')}: stop all services of Windlass first`,
  );
}
