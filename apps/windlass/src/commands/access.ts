import { RequestError, type JsonObject } from '@windlass/foundation';
import { ROLES, type Role } from '@windlass/service-kit/plain';
import { Command, InvalidArgumentError, Option } from 'commander';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Surroundings } from '../surroundings/config.js';
import { writeSecret } from '../deployment/secret-file.js';

interface AddOptions {
  file: string;
  project: string;
  role: Role;
  expires?: string;
}

const timeIn = (given: string): string => {
  if (!/^\d{4}-\d\d-\d\dT/.test(given) || Number.isNaN(Date.parse(given)))
    throw new InvalidArgumentError('expected a time such as 2027-01-31T00:00:00Z');
  return given;
};

const withEntry = (command: Command): Command =>
  command
    .requiredOption('--file <file>', 'the file, which is made where it is not there (mode 0600)')
    .requiredOption('--project <name>', 'the project that it speaks for')
    .addOption(new Option('--role <role>', 'what it may do there').choices(ROLES).makeOptionMandatory());

/** `./windlass access`: the files of LCM_TOKENS_FILE and LCM_USERS_FILE, which hold digests and hashes alone. */
export function accessCommand({ calledFrom }: Surroundings, input: NodeJS.ReadableStream = process.stdin): Command {
  const command = new Command('access').description(
    'files of tokens and of users for the REST API; it reads them again by itself',
  );
  withEntry(command.command('add-token <name>').description('make a token, add it to a file of tokens, and print it: once'))
    .option('--expires <time>', 'until when it is good (default: for ever)', timeIn)
    .action(async (name: string, { file, project, role, expires }: AddOptions) => {
      const { readTokens, sha256Of } = await import('@windlass/service-kit');
      const token = randomBytes(32).toString('base64url');
      const entry = { name, project, roles: [role], sha256: sha256Of(token), ...(expires === undefined ? {} : { expires }) };
      await change(resolve(calledFrom, file), readTokens, (entries) => [...entries, entry]);
      process.stdout.write(`${token}\n`);
    });
  withEntry(
    command
      .command('add-user <name>')
      .description('add a user of HTTP Basic to a file of users; the password is read from stdin'),
  ).action(async (name: string, { file, project, role }: AddOptions) => {
    const { hashText, passwordHashOf, readUsers } = await import('@windlass/service-kit');
    const password = hashText(await passwordHashOf(await passwordIn(input)));
    await change(resolve(calledFrom, file), readUsers, (entries) => [...entries, { name, project, roles: [role], password }]);
  });
  command
    .command('remove <name>')
    .description('remove all entries of that name from a file of tokens or users')
    .requiredOption('--file <file>', 'the file')
    .action(async (name: string, { file }: { file: string }) => {
      await change(resolve(calledFrom, file), undefined, (entries) => {
        const left = entries.filter((entry) => entry.name !== name);
        if (left.length === entries.length) throw new RequestError(404, 'access.unknown', `${file} has no entry named ${name}`);
        return left;
      });
    });
  return command;
}

/** Appears whole or not at all. @param check throws for what the service would refuse */
async function change(
  file: string,
  check: ((text: string) => unknown) | undefined,
  to: (entries: readonly JsonObject[]) => readonly JsonObject[],
): Promise<void> {
  const before = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '[]';
    throw error;
  });
  const after = JSON.stringify(to(JSON.parse(before) as JsonObject[]), null, 2);
  try {
    check?.(after);
  } catch (error) {
    throw new RequestError(
      400,
      'access.wrong',
      `${file} would not be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  await writeSecret(file, after);
}

/** The first line of stdin: a password in an argument would stand in the list of processes. */
async function passwordIn(input: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input })) {
    if (line.length >= 12) return line;
    break;
  }
  throw new RequestError(400, 'access.password', 'give the password, 12 characters at least, as a line of stdin');
}
