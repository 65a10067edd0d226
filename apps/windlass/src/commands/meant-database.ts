import { RequestError } from '@windlass/foundation';
import { Option, type Command } from 'commander';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { dataDirOf } from '../target/data-dir.js';
import type { Surroundings } from '../surroundings/config.js';
import { LogFile } from '../deployment/log-file.js';
import { readRuntime } from '../deployment/runtime-file.js';

/** Which database is meant: that of a data folder of `windlass up`, or one of somebody else's PostgreSQL. */
export interface DatabaseOptions {
  data?: string;
  databaseUrlFile?: string;
}

export const withDatabase = (command: Command): Command =>
  command
    .addOption(
      new Option('--data <dir>', 'the data folder of "windlass up" (default: ~/.cache/windlass/data)').conflicts(
        'databaseUrlFile',
      ),
    )
    .option('--database-url-file <file>', 'holds the URL that services connect with, where PostgreSQL is your own');

/** A database that is reached for as long as the work takes. */
export interface MeantDatabase {
  url: string;
  /** The data folder, where it is that of `windlass up`. */
  dataDir?: string;
}

/**
 * Reaches the database that is meant. PostgreSQL of a data folder is started for it where nothing runs there.
 * @param needs whether services must be stopped, and a data folder must have a database already
 * @throws RequestError 409 `up.running`, 404 `cli.no-data`
 */
export async function inMeantDatabase<T>(
  where: Surroundings,
  { data, databaseUrlFile }: DatabaseOptions,
  { stopped, mustBeThere }: { stopped: boolean; mustBeThere: boolean },
  work: (database: MeantDatabase) => Promise<T>,
): Promise<T> {
  if (databaseUrlFile !== undefined)
    return work({ url: (await readFile(resolve(where.calledFrom, databaseUrlFile), 'utf8')).trim() });
  const dataDir = dataDirOf(where, data);
  const folder = join(dataDir, 'postgres');
  const runs = (await readRuntime(dataDir)) !== undefined;
  if (runs && stopped)
    throw new RequestError(
      409,
      'up.running',
      `Windlass runs on ${dataDir}: stop it with "windlass down --data ${dataDir}" first`,
    );
  const { knownPostgres, startPostgres } = await import('@windlass/embedded');
  const known = knownPostgres(folder);
  if (runs && known !== undefined) return work({ url: known.url, dataDir });
  if (mustBeThere && !existsSync(folder))
    throw new RequestError(
      404,
      'cli.no-data',
      `there is no database in ${dataDir}: name a data folder with --data, or a database with --database-url-file`,
    );
  await mkdir(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
  const log = new LogFile(join(dataDir, 'logs', 'postgres.log'));
  const server = await startPostgres({ dataDir: folder, durable: true, log: (line) => void log.write(`${line}\n`) });
  try {
    return await work({ url: server.url, dataDir });
  } finally {
    await server.stop();
  }
}
