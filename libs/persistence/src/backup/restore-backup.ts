import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { InvariantError, RequestError } from '@windlass/foundation';
import pg, { type Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connectDatabase, migrate, schemas } from '../database.js';
import { onlySession } from '../incarnation/only-session.js';
import { raiseIncarnation, type RaisedIncarnation } from '../incarnation/raise-incarnation.js';
import { keyId, parseMasterKeys } from '../sealing/vault.js';
import { copiedTables, nameOf, quoted, RECORD_SCHEMAS } from './copied-tables.js';
import { framesOf, type CopiedSequence, type CopiedTable, type Frame } from './frames.js';
import { headerOf, opened, type BackupHeader } from './sealed-file.js';
import { schemaOf } from './take-backup.js';

/** Gives the bytes of the file from their beginning, each time that it is called. */
export type OpenFile = () => AsyncIterable<Buffer>;

/** A backup whose whole seal holds. */
export interface CheckedBackup {
  header: BackupHeader;
  tables: number;
  rows: number;
  /** What the master key file is to hold, where the backup has it. */
  masterKeys?: string;
}

export interface RestoreOptions {
  /** Of an empty database, as services will connect. */
  url: string;
  file: OpenFile;
  key: Buffer;
  /** Who does it, for the audit trail. */
  by: string;
  /** Done when everything is in the database, right before it is committed: without what this keeps, the record would be of no use. */
  beforeCommit?: () => Promise<void>;
}

/** What was restored. */
export interface RestoredBackup extends RaisedIncarnation {
  header: BackupHeader;
  rows: number;
}

/** Sequences go on so far behind where the backup left them: what was given in between is in messages and in copies of the audit trail's head. */
const SEQUENCE_GAP = 1_000_000;

/** What a database has that was made and never used. */
const MADE_WITH_IT = ['lcm.deployment', 'lcm.driver', 'lcm.enrolment_token', 'lcm.worker_key'];

/**
 * Reads the whole file, opens each chunk, and writes nothing.
 * @throws RequestError 400 `backup.…` for a file that is none, is damaged, cut off, sealed with another key, or of a later release
 */
export async function checkBackup(file: OpenFile, key: Buffer): Promise<CheckedBackup> {
  const header = await headerOf(file());
  const content = contentOf(file, key);
  let masterKeys: string | undefined;
  let end: Extract<Frame, { kind: 'end' }> | undefined;
  for await (const frame of content) {
    if (frame.kind === 'master-keys') masterKeys = frame.text;
    if (frame.kind === 'end') end = frame;
  }
  // Only what the seal has vouched for is judged.
  if (!schemas.includes(header.schema))
    throw new RequestError(
      400,
      'backup.newer-schema',
      `the backup has the schema ${header.schema} of release ${header.release}, which this one does not know: restore it with the release that has migrated that database, or a later one`,
    );
  if (end === undefined) throw new InvariantError('the backup has no end, although its seal holds');
  return { header, tables: end.tables, rows: end.rows, ...(masterKeys === undefined ? {} : { masterKeys }) };
}

/**
 * Whether what is sealed in the record opens with these master keys.
 * @throws RequestError 409 `backup.other-master-key`
 */
export function requireMasterKeys({ masterKeys: needed }: BackupHeader, given: string): void {
  const known = parseMasterKeys(given).map((one) => keyId(one).toString('hex'));
  const missing = needed.filter((one) => !known.includes(one));
  if (missing.length === 0) return;
  throw new RequestError(
    409,
    'backup.other-master-key',
    `the record is sealed with the master key ${missing.join(', ')}, which is not among those given (${known.join(', ')}): put the master key file of then in its place, or restore a backup that was made --with-master-key`,
  );
}

async function* contentOf(file: OpenFile, key: Buffer): AsyncGenerator<Frame> {
  const zipped = Readable.from(opened(file(), key), { objectMode: false });
  const plain = createGunzip();
  zipped.on('error', (error) => plain.destroy(error));
  yield* framesOf(zipped.pipe(plain) as AsyncIterable<Buffer>);
}

/**
 * Puts a checked backup into an empty database and begins the next incarnation, in one transaction.
 * @throws RequestError 409 `backup.in-use`, `backup.not-empty`; what {@link checkBackup} throws, where the file has changed since
 */
export async function restoreBackup(
  { header }: CheckedBackup,
  { url, file, key, by, beforeCommit }: RestoreOptions,
): Promise<RestoredBackup> {
  const client = new pg.Client({ connectionString: url, application_name: 'windlass restore' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await onlySession(client);
    await requireEmpty(client);
    await migrateTo(url, header.schema);
    const schema = await schemaOf(client);
    if (schema !== header.schema)
      throw notEmpty(`it has the schema ${schema ?? ''} already, later than the backup's ${header.schema}`);
    await client.query('BEGIN');
    const rows = await load(client, contentOf(file, key));
    const raised = await raiseIncarnation(client, { cause: 'restore', recordOf: new Date(header.takenAt), by });
    await beforeCommit?.();
    await client.query('COMMIT');
    await client.query('ANALYZE');
    await migrateTo(url);
    return { header, rows, ...raised };
  } finally {
    await client.end();
  }
}

/** Up to a schema, or to that of this release. */
async function migrateTo(url: string, schema?: string): Promise<void> {
  const database = await connectDatabase({ url, applicationName: 'windlass restore', poolSize: 1 });
  try {
    await migrate(database, schema);
  } finally {
    await database.destroy();
  }
}

async function requireEmpty(client: Client): Promise<void> {
  const tables = await copiedTables(client);
  for (const table of tables) {
    const name = `${table.schema}.${table.name}`;
    if (MADE_WITH_IT.includes(name)) continue;
    const { rows } = await client.query<{ found: boolean }>(`SELECT EXISTS (SELECT FROM ${nameOf(table)}) AS found`);
    if (rows[0]?.found === true) throw notEmpty(`${name} has rows`);
  }
  const { rows: kept } = await client.query<{ owner: string }>(
    `SELECT pg_get_userbyid(relowner) AS owner FROM pg_class WHERE oid = to_regclass('lcm.audit_trail') AND NOT pg_has_role(relowner, 'MEMBER')`,
  );
  if (kept[0] !== undefined) throw notEmpty(`its audit trail belongs to ${kept[0].owner} already`);
}

const notEmpty = (why: string): RequestError =>
  new RequestError(
    409,
    'backup.not-empty',
    `the database is not empty: ${why}. Restore into a new one (CREATE DATABASE; with "windlass up": a data folder without its folder postgres), and keep the old one until the new one is known to be good`,
  );

async function load(client: Client, content: AsyncGenerator<Frame>): Promise<number> {
  const tables = await copiedTables(client);
  for (const table of tables) await client.query(`ALTER TABLE ${nameOf(table)} DISABLE TRIGGER USER`);
  for (const table of [...tables].reverse()) await client.query(`DELETE FROM ${nameOf(table)}`);
  let rows = 0;
  let end = false;
  for await (const frame of content) {
    if (frame.kind === 'table') {
      requireKnown(tables, frame.table);
      rows += await loadRows(client, frame.table, content);
    } else if (frame.kind === 'sequences') await setSequences(client, frame.sequences);
    else if (frame.kind === 'end') end = frame.rows === rows;
  }
  if (!end) throw new InvariantError(`${rows} rows were read, and the backup says another number`);
  for (const table of tables) await client.query(`ALTER TABLE ${nameOf(table)} ENABLE TRIGGER USER`);
  return rows;
}

function requireKnown(tables: readonly CopiedTable[], { schema, name, columns }: CopiedTable): void {
  const known = tables.find((table) => table.schema === schema && table.name === name);
  const isKnown = known !== undefined && columns.every((column) => known.columns.includes(column));
  if (!isKnown) throw new InvariantError(`the backup has ${schema}.${name} (${columns.join(', ')}), which its schema has not`);
}

async function loadRows(client: Client, table: CopiedTable, content: AsyncGenerator<Frame>): Promise<number> {
  const copy = client.query(
    copyFrom(`COPY ${nameOf(table)} (${table.columns.map(quoted).join(', ')}) FROM STDIN (FORMAT binary)`),
  );
  const done = finished(copy);
  // It is waited for below; what ends it early ends the reading, too.
  done.catch(() => undefined);
  for (;;) {
    const next = await content.next();
    const frame = next.done === true ? undefined : next.value;
    if (frame?.kind !== 'rows' && frame?.kind !== 'table-end') throw new InvariantError(`${table.name} has no end`);
    if (frame.kind === 'table-end') {
      copy.end();
      await done;
      if (copy.rowCount !== frame.rows)
        throw new InvariantError(`${copy.rowCount} of ${frame.rows} rows of ${table.name} were read`);
      return frame.rows;
    }
    if (!copy.write(frame.bytes)) await Promise.race([new Promise((resolve) => copy.once('drain', resolve)), done]);
  }
}

/** A sequence that the backup says nothing of goes on behind its table. */
async function setSequences(client: Client, sequences: readonly CopiedSequence[]): Promise<void> {
  const { rows } = await client.query<{ schema: string; name: string; table: string | null; column: string | null }>(
    `SELECT n.nspname AS schema, c.relname AS name, d.refobjid::regclass::text AS table, a.attname AS column
     FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
     LEFT JOIN pg_depend AS d ON d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
     LEFT JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
     WHERE c.relkind = 'S' AND n.nspname = ANY ($1)`,
    [RECORD_SCHEMAS],
  );
  for (const { schema, name, table, column } of rows) {
    const said = sequences.find((one) => one.schema === schema && one.name === name)?.last ?? '0';
    const inTable = table === null || column === null ? '0' : `(SELECT coalesce(max(${quoted(column)}), 0) FROM ${table})`;
    await client.query(`SELECT setval($1::regclass, greatest($2::bigint, ${inTable}) + ${SEQUENCE_GAP})`, [
      nameOf({ schema, name }),
      said,
    ]);
  }
}
