import { seconds, TransientError } from '@windlass/foundation';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  type DataSource,
  type QueryRunner,
} from 'typeorm';

/** The code of the error that PostgreSQL's being away is told as. */
export const DATABASE_AWAY = 'database.away';

/** Of the connection's own: nobody listens, it broke, it can't be made. */
const SOCKET_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
];
/**
 * SQLSTATEs by which PostgreSQL says that it is not there now: 08 (connection exceptions), 57P01 (shut down), 57P02 (crashed), 57P03 (starting
 * up), 57P05 and 25P03 (it ended a session that was idle too long), 53300 (no connection left). See "PostgreSQL Error Codes" in its documentation.
 */
const SQL_STATES = /^(08...|57P0[1235]|25P03|53300)$/;
/** What `pg`'s pool says when all its connections are in use for longer than one may take to be made: of no server that is away. */
const NO_CONNECTION_FREE = 'timeout exceeded when trying to connect';
/** `pg` says these without any code; the last is our own (answer-watch.ts), which `pg` hands on as it is. */
const MESSAGES_WITHOUT_CODE = [
  'Connection terminated',
  NO_CONNECTION_FREE,
  'Client has encountered a connection error and is not queryable',
  'PostgreSQL did not answer within',
];

/** TypeORM lets go of a connection that breaks between two statements of a transaction, and one of these is what the second then meets. */
const isReleasedConnection = (error: unknown): boolean =>
  error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;

/** What PostgreSQL's being away makes of a statement: it may work later. Undefined for any other error. */
export function outageOf(error: unknown): TransientError | undefined {
  if (error instanceof QueryFailedError) return outageOf(error.driverError);
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  const away =
    code === undefined
      ? isReleasedConnection(error) || MESSAGES_WITHOUT_CODE.some((words) => error.message.startsWith(words))
      : SOCKET_CODES.includes(code) || SQL_STATES.test(code);
  if (!away) return undefined;
  return new TransientError(DATABASE_AWAY, toldOf(error, code), { cause: error, retryAfter: seconds(1) });
}

/** Says nothing of whether it is asked again: that is for whoever asked to know. */
const toldOf = ({ message }: Error, code: string | undefined): string =>
  code === undefined && message.startsWith(NO_CONNECTION_FREE)
    ? 'no connection to PostgreSQL came free in time: more is asked for at this moment than it can do, or it does not answer'
    : `PostgreSQL is not there now (${code ?? message})`;

/** Does it; an outage is thrown as what it is. */
export async function withOutageErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw outageOf(error) ?? error;
  }
}

/**
 * Has everything that goes through the data source tell outages as transient errors: whoever asks over NATS asks again, and who asks over REST is
 * told 503. An answer that is lost in a commit is no other case: whatever is asked twice is right twice.
 */
export function reportOutages(database: DataSource): DataSource {
  const create = database.createQueryRunner.bind(database);
  database.createQueryRunner = (mode) => withReportedOutages(create(mode));
  const transaction = database.transaction.bind(database) as (...asked: unknown[]) => Promise<unknown>;
  database.transaction = ((...asked: unknown[]) => withOutageErrors(transaction(...asked))) as DataSource['transaction'];
  return database;
}

function withReportedOutages(runner: QueryRunner): QueryRunner {
  const connect = runner.connect.bind(runner);
  const query = runner.query.bind(runner) as (...statement: unknown[]) => Promise<unknown>;
  const startTransaction = runner.startTransaction.bind(runner);
  const commitTransaction = runner.commitTransaction.bind(runner);
  runner.connect = (() => withOutageErrors(connect())) as QueryRunner['connect'];
  runner.query = ((...statement: unknown[]) => withOutageErrors(query(...statement))) as QueryRunner['query'];
  runner.startTransaction = (level) => withOutageErrors(startTransaction(level));
  runner.commitTransaction = () => withOutageErrors(commitTransaction());
  return runner;
}
