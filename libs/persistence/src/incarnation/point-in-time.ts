import { RequestError } from '@windlass/foundation';
import pg from 'pg';
import { schemas } from '../database.js';
import { onlySession } from './only-session.js';
import { raiseIncarnation, type RaisedIncarnation } from './raise-incarnation.js';

/**
 * Begins the next incarnation of a record that PostgreSQL itself has brought back, by its archive or otherwise.
 * @throws RequestError 409 `backup.in-use` while services run, `backup.recovering` while PostgreSQL still replays its archive, `backup.no-record`
 *   for a database that has none of this release
 */
export async function beginPointInTime(
  url: string,
  { recordOf, by }: { recordOf: Date | null; by: string },
): Promise<RaisedIncarnation> {
  const client = new pg.Client({ connectionString: url, application_name: 'windlass restored' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ recovering: boolean; found: string | null }>(
      `SELECT pg_is_in_recovery() AS recovering, to_regclass('lcm.incarnation')::text AS found`,
    );
    if (rows[0]?.recovering === true)
      throw new RequestError(
        409,
        'backup.recovering',
        'PostgreSQL is still recovering: wait until it is promoted (recovery_target_action = promote, or SELECT pg_wal_replay_resume())',
      );
    if (rows[0]?.found == null)
      throw new RequestError(
        409,
        'backup.no-record',
        `the database has no incarnations: its record is of a release before them. Start saga-coordinator of this release alone with no other service, until its schema is ${schemas.at(-1) ?? ''}, stop it, and call this again`,
      );
    await onlySession(client);
    await client.query('BEGIN');
    const raised = await raiseIncarnation(client, { cause: 'point-in-time', recordOf, by });
    await client.query('COMMIT');
    return raised;
  } finally {
    await client.end();
  }
}
