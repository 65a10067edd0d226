import { RequestError } from '@windlass/foundation';
import type { CheckedBackup, RaisedIncarnation, RestoredBackup } from '@windlass/persistence';
import { Command } from 'commander';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { backupKey } from './backup-key.js';
import { inMeantDatabase, withDatabase, type DatabaseOptions } from './meant-database.js';
import type { Surroundings } from '../surroundings/config.js';
import { personsName } from '../surroundings/person.js';
import { writeSecret } from '../deployment/secret-file.js';

interface RestoreCommandOptions extends DatabaseOptions {
  keyFile: string;
  masterKeyFile?: string;
  check?: true;
}

/** `./windlass restore`. */
export const restoreCommand = (where: Surroundings): Command =>
  withDatabase(new Command('restore'))
    .description('put a backup into an empty database, while all services are stopped; the whole file is checked before')
    .argument('<file>', 'what "windlass backup" wrote')
    .requiredOption('--key-file <file>', 'holds the key that the backup was sealed with')
    .option(
      '--master-key-file <file>',
      'the services’ master key file: compared with the backup, and written where it is missing and the backup has it (default with --data: secrets/master-key)',
    )
    .option('--check', 'only check that the file is whole and opens with the key; nothing is written')
    .action(async (named: string, options: RestoreCommandOptions) => {
      const { checkBackup, restoreBackup } = await import('@windlass/persistence');
      const path = resolve(where.calledFrom, named);
      const file = (): AsyncIterable<Buffer> => createReadStream(path);
      const key = await backupKey(where, options.keyFile);
      const checked = await checkBackup(file, key);
      if (options.check === true) {
        process.stdout.write(`${path} is whole: ${wordsOf(checked)}\n`);
        return;
      }
      const restored = await inMeantDatabase(where, options, { stopped: true, mustBeThere: false }, async ({ url, dataDir }) => {
        const masterKeyFile = masterKeyFileOf(where, options, dataDir);
        await requireMasterKey(checked, masterKeyFile);
        return restoreBackup(checked, {
          url,
          file,
          key,
          by: `${personsName()} (windlass restore)`,
          // A process that dies in between leaves a key without a record, which the next try takes; never a record without its key.
          beforeCommit: () => keepMasterKey(checked, masterKeyFile),
        });
      });
      process.stdout.write(tellingOf(restored));
    });

const wordsOf = ({ header, tables, rows }: CheckedBackup): string =>
  `${rows} rows of ${tables} tables, as they were at ${header.takenAt}, of release ${header.release}${header.withMasterKey ? ', with the master keys' : ''}`;

function masterKeyFileOf(
  { calledFrom }: Surroundings,
  { masterKeyFile }: RestoreCommandOptions,
  dataDir?: string,
): string | undefined {
  if (masterKeyFile !== undefined) return resolve(calledFrom, masterKeyFile);
  return dataDir === undefined ? undefined : join(dataDir, 'secrets', 'master-key');
}

/** Before anything is written: without the key the record is of no use, and "windlass up" would make another. */
async function requireMasterKey({ header, masterKeys }: CheckedBackup, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  if (existsSync(file)) {
    const { requireMasterKeys } = await import('@windlass/persistence');
    requireMasterKeys(header, await readFile(file, 'utf8'));
  } else if (masterKeys === undefined)
    throw new RequestError(
      409,
      'backup.no-master-key',
      `the record is sealed with a master key that is not in the backup, and there is no ${file}: put the file of then there first`,
    );
}

async function keepMasterKey({ masterKeys }: CheckedBackup, file: string | undefined): Promise<void> {
  if (file === undefined || masterKeys === undefined || existsSync(file)) return;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeSecret(file, masterKeys.trimEnd());
}

/** What a person has to see to after an incarnation has begun. */
export const droppedWords = ({ unknownSteps, droppedKeys, droppedTokens }: RaisedIncarnation): string =>
  `${unknownSteps} steps ran then: what they did since is not known
${droppedKeys} keys of workers and ${droppedTokens} enrolment tokens were dropped: services enrol anew; make new tokens for those of third parties
What was revoked, changed or deleted since then is not in it: look at "windlass restored show", and revoke again what was revoked
`;

const tellingOf = ({ header, rows, number, ...raised }: RestoredBackup): string =>
  `restored ${rows} rows, as they were at ${header.takenAt}; incarnation ${number} begins
${droppedWords({ number, ...raised })}${header.masterKeys.length === 0 ? 'Services need the master key file of then: the backup does not name its keys\n' : ''}Now start the services.
`;
