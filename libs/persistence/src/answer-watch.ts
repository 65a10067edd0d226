import { describeDuration, seconds, type Duration } from '@windlass/foundation';
import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { ClientBase } from 'pg';

/**
 * How long PostgreSQL may take to answer. A statement of ours takes milliseconds; what takes this long waits for a server, or a network, that
 * is gone: TCP itself gives up only after a quarter of an hour. It is less than a lease (10 s), so that a coordinator which lost its
 * connections works again before the leases of those that it served have ended.
 */
export const ANSWER_WITHIN: Duration = seconds(8);

/**
 * Ends the connection when nothing is answered in time while something is asked: all its statements then fail, and a pool makes a new connection. Giving up
 * the statement alone (`query_timeout`) would leave the next one waiting behind it. The time counts from the last answer, or from what was asked first since
 * all was answered: asking more, as whoever tries a quiet connection does, gives a server that is gone no more time.
 */
export function watchAnswers(client: ClientBase, within: Duration = ANSWER_WITHIN): void {
  // These are what pg's own documentation of `pool.on('connect')` and of events works with; its types leave the connection out.
  const { connection } = client as unknown as { connection: EventEmitter & { stream: Duplex } };
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const watch = (): void => {
    stop();
    timer = setTimeout(() => {
      connection.stream.destroy(new Error(`PostgreSQL did not answer within ${describeDuration(within)}`));
    }, within);
  };
  const ask = client.query.bind(client) as (...asked: unknown[]) => unknown;
  const watched = (...asked: unknown[]): unknown => {
    if (timer === undefined) watch();
    return ask(...asked);
  };
  Object.assign(client, { query: watched });
  // A statement is answered; whether another waits, `drain` tells in the same moment.
  connection.on('readyForQuery', () => timer !== undefined && watch());
  client.on('drain', stop);
  client.on('end', stop);
}
