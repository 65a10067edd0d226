import { InvariantError, RequestError } from '@windlass/foundation';
import type { BackupSummary } from '@windlass/persistence';
import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { backupKey } from './backup-key.js';
import { inMeantDatabase, withDatabase, type DatabaseOptions } from './meant-database.js';
import type { Surroundings } from '../surroundings/config.js';
import { writeSecretBytes } from '../deployment/secret-file.js';
import { RELEASE } from '../surroundings/release.js';

interface BackupCommandOptions extends DatabaseOptions {
  keyFile: string;
  masterKeyFile?: string;
  withMasterKey?: true;
  json?: true;
}

/** `./windlass backup`. */
export const backupCommand = (where: Surroundings): Command =>
  withDatabase(new Command('backup'))
    .description('write the whole record, of one snapshot, into a sealed file; services may run meanwhile')
    .argument('<file>', 'the file to write; one that is there is not replaced')
    .requiredOption('--key-file <file>', 'holds the key that seals it: 64 hexadecimal digits, readable by its owner alone')
    .option(
      '--master-key-file <file>',
      'with --database-url-file: the services’ master key file, so that the backup can name its keys',
    )
    .option('--with-master-key', 'put the master keys into the backup: whoever has it and its key then has everything')
    .option('--json', 'print what was written as one JSON object')
    .action(async (file: string, options: BackupCommandOptions) => {
      const summary = await backup(where, file, options);
      process.stdout.write(options.json === true ? `${JSON.stringify(summary)}\n` : lineOf(file, summary));
    });

async function backup(where: Surroundings, named: string, options: BackupCommandOptions): Promise<BackupSummary> {
  const file = resolve(where.calledFrom, named);
  if (existsSync(file)) throw new RequestError(409, 'backup.exists', `${file} is there already: give another name`);
  const key = await backupKey(where, options.keyFile);
  return inMeantDatabase(where, options, { stopped: false, mustBeThere: true }, async ({ url, dataDir }) => {
    const masterKeys = await masterKeysIn(where, options, dataDir);
    const withMasterKey = options.withMasterKey === true;
    if (withMasterKey && masterKeys === undefined)
      throw new RequestError(400, 'cli.missing', '--with-master-key needs --master-key-file where PostgreSQL is your own');
    const { takeBackup } = await import('@windlass/persistence');
    let told: BackupSummary | undefined;
    const given = { url, key, release: RELEASE, withMasterKey, ...(masterKeys === undefined ? {} : { masterKeys }) };
    await writeSecretBytes(
      file,
      takeBackup(given, (summary) => (told = summary)),
    );
    await syncFolder(dirname(file));
    if (told === undefined) throw new InvariantError('the backup ended without an end');
    return told;
  });
}

async function masterKeysIn(
  where: Surroundings,
  { masterKeyFile }: BackupCommandOptions,
  dataDir?: string,
): Promise<string | undefined> {
  if (masterKeyFile !== undefined) return readFile(resolve(where.calledFrom, masterKeyFile), 'utf8');
  return dataDir === undefined ? undefined : readFile(join(dataDir, 'secrets', 'master-key'), 'utf8');
}

/** A renamed file is there after a crash when its folder is on the disk, too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const lineOf = (file: string, { header, tables, rows }: BackupSummary): string =>
  `wrote ${file}: ${rows} rows of ${tables} tables, as they were at ${header.takenAt}${header.withMasterKey ? ', with the master keys' : ''}\n`;
