import { Client } from 'pg';
import { minutes, seconds, TransientError, type Duration } from '@windlass/foundation';

/** How long the bench's own statement, or its connection, may take. */
const ANSWER_WITHIN = minutes(1);
/** How long a server may take to close a connection. */
const CLOSE_WITHIN = seconds(5);

/**
 * A connection of the bench's own, whose statements read what is there: one that is not answered fails.
 * @param within how long PostgreSQL may take to answer
 * @throws TransientError `bench.no-answer`
 */
export async function openConnection(connectionString: string, within: Duration = ANSWER_WITHIN): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: 'windlass bench',
    query_timeout: within,
    connectionTimeoutMillis: within,
  });
  client.on('error', () => undefined); // the next statement meets it
  try {
    await client.connect();
  } catch (cause) {
    throw new TransientError('bench.no-answer', `the bench has no connection to its PostgreSQL: ${(cause as Error).message}`, {
      cause,
    });
  }
  return client;
}

/** Ends a connection; by force where the server does not close it, as one that hangs does not. */
export async function closeConnection(client: Client, within: Duration = CLOSE_WITHIN): Promise<void> {
  const force = setTimeout(() => client.connection.stream.destroy(), within);
  try {
    await client.end();
  } finally {
    clearTimeout(force);
  }
}
