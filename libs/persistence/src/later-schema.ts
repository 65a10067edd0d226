import { TerminalError } from '@windlass/foundation';
import type { DataSource } from 'typeorm';

/** Asks PostgreSQL. */
interface Asked {
  query(sql: string): Promise<unknown>;
}

/**
 * What a migration that takes something away says beside: the last migration that a release has to know to run on what is left. It stands as the comment of the
 * schema `lcm`, where releases of today read it.
 * @param migration the last one of the oldest release that does without what is taken away
 */
export const needsRelease = (migration: string): string => `COMMENT ON SCHEMA lcm IS 'needs ${migration}'`;

/**
 * Before this release migrates or asks for anything: whether it can run on a schema that a later one has migrated.
 * @param known the migrations of this release
 * @throws TerminalError `database.later-schema` where what this release uses may be gone
 */
export async function requireUsableSchema(database: Asked, known: readonly string[]): Promise<void> {
  const [row] = (await database.query(`SELECT obj_description(to_regnamespace('lcm'), 'pg_namespace') AS comment`)) as {
    comment: string | null;
  }[];
  const needed = /^needs (\S+)$/.exec(row?.comment ?? '')?.[1];
  if (needed === undefined || known.includes(needed)) return;
  throw new TerminalError(
    'database.later-schema',
    `a later release has taken away what this one uses: the schema needs a release that knows ${needed}, and this one ends with ${known.at(-1) ?? 'none'}. Start the release that ran last, or the one before it; to go back further, restore a backup of that time into a new database`,
  );
}

/** Migrations of later releases that the database has, in their order. */
export async function laterMigrations(database: Asked, known: readonly string[]): Promise<string[]> {
  const rows = (await database.query('SELECT name FROM windlass_migrations ORDER BY id')) as { name: string }[];
  return rows.map(({ name }) => name).filter((name) => !known.includes(name));
}

/** A release that runs on a later one's schema says so once, at its start: who skips releases on the way back finds it in the log. */
export async function tellOfLaterSchema(
  database: DataSource,
  known: readonly string[],
  log: { warn(message: string, fields: Record<string, unknown>): void },
): Promise<void> {
  const migrations = await laterMigrations(database, known);
  if (migrations.length > 0)
    log.warn('the database has been migrated by a later release: the one before it runs on that; further back is a restore', {
      migrations,
    });
}
