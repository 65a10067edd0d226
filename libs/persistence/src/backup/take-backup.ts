import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { InvariantError, RequestError } from '@windlass/foundation';
import pg, { type Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { schemas } from '../database.js';
import { keyId, parseMasterKeys } from '../sealing/vault.js';
import { copiedSequences, copiedTables, nameOf, quoted } from './copied-tables.js';
import { encodedFrame, encodedRows, type CopiedTable } from './frames.js';
import { BACKUP_FORMAT, sealed, type BackupHeader } from './sealed-file.js';

export interface BackupOptions {
  /** Of the database, as services connect. */
  url: string;
  /** What the file is sealed with: 32 bytes. */
  key: Buffer;
  release: string;
  /** What the master key file holds, where it is at hand: then the backup names the keys. */
  masterKeys?: string;
  /** Puts the master keys into the backup. */
  withMasterKey?: boolean;
}

/** What a backup holds, told when all of it was written. */
export interface BackupSummary {
  header: BackupHeader;
  tables: number;
  rows: number;
}

/**
 * The whole record of one snapshot, as the bytes of a file. Services may run meanwhile.
 * @param told is called at the end
 * @throws RequestError 409 `backup.schema` for a database without the schema of this release
 */
export async function* takeBackup(options: BackupOptions, told: (summary: BackupSummary) => void): AsyncGenerator<Buffer> {
  const { url, key, masterKeys, withMasterKey = false } = options;
  if (withMasterKey && masterKeys === undefined) throw new InvariantError('the master keys are to be put in, and are not given');
  const client = new pg.Client({ connectionString: url, application_name: 'windlass backup' });
  // What breaks the connection fails the statement in flight, which reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const header = await headerFrom(client, options);
    const count = { tables: 0, rows: 0 };
    const content = Readable.from(frames(client, count, withMasterKey ? masterKeys : undefined), { objectMode: false });
    const zipped = createGzip({ level: 3 });
    content.on('error', (error) => zipped.destroy(error));
    yield* sealed(header, key, content.pipe(zipped) as AsyncIterable<Buffer>);
    told({ header, ...count });
  } finally {
    await client.end();
  }
}

async function headerFrom(client: Client, { release, masterKeys, withMasterKey = false }: BackupOptions): Promise<BackupHeader> {
  const schema = await schemaOf(client);
  const newest = schemas.at(-1);
  if (schema !== newest || schema === undefined)
    throw new RequestError(
      409,
      'backup.schema',
      `the database has the schema ${schema ?? 'of nothing'}, and this release ${newest ?? ''}: use the command of the release that runs on it`,
    );
  const { rows } = await client.query<{ at: Date; deployment: string; incarnation: string }>(
    `SELECT clock_timestamp() AS at, (SELECT id::text FROM lcm.deployment) AS deployment,
       (SELECT coalesce(max(number), 0) FROM lcm.incarnation)::text AS incarnation`,
  );
  const [row = raise()] = rows;
  return {
    ...{ format: BACKUP_FORMAT, release, schema, takenAt: row.at.toISOString(), deploymentId: row.deployment },
    ...{ incarnation: Number(row.incarnation), withMasterKey },
    masterKeys: masterKeys === undefined ? [] : parseMasterKeys(masterKeys).map((one) => keyId(one).toString('hex')),
  };
}

/** The last migration that a database has; undefined where there is none. */
export async function schemaOf(client: Client): Promise<string | undefined> {
  const there = await client.query<{ found: string | null }>(`SELECT to_regclass('windlass_migrations')::text AS found`);
  if (there.rows[0]?.found == null) return undefined;
  const { rows } = await client.query<{ name: string }>('SELECT name FROM windlass_migrations ORDER BY id DESC LIMIT 1');
  return rows[0]?.name;
}

async function* frames(client: Client, count: { tables: number; rows: number }, masterKeys?: string): AsyncGenerator<Buffer> {
  for (const table of await copiedTables(client)) {
    yield encodedFrame({ kind: 'table', table });
    const rows = yield* copied(client, table);
    yield encodedFrame({ kind: 'table-end', rows });
    count.tables += 1;
    count.rows += rows;
  }
  // Behind the rows: a sequence is no part of the snapshot, and none is behind its table.
  yield encodedFrame({ kind: 'sequences', sequences: await copiedSequences(client) });
  if (masterKeys !== undefined) yield encodedFrame({ kind: 'master-keys', text: masterKeys });
  yield encodedFrame({ kind: 'end', ...count });
}

async function* copied(client: Client, table: CopiedTable): AsyncGenerator<Buffer, number> {
  const columns = table.columns.map(quoted).join(', ');
  const copy = client.query(copyTo(`COPY ${nameOf(table)} (${columns}) TO STDOUT (FORMAT binary)`));
  for await (const piece of copy) yield* encodedRows(piece as Buffer);
  return copy.rowCount;
}

function raise(): never {
  throw new InvariantError('PostgreSQL returned no row');
}
