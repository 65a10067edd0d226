import { durationText, asDuration } from '@windlass/service-kit/plain';
import { hours, type Duration, type JsonObject } from '@windlass/foundation';
import { Command, InvalidArgumentError } from 'commander';
import { resolve } from 'node:path';
import { text } from '../client/text.js';
import type { Surroundings } from '../surroundings/config.js';
import { writeSecret } from '../deployment/secret-file.js';
import { apiOf, withTarget, type TargetOptions } from '../target/target.js';

const TOKENS = '/windlass/v1/enrolment_tokens';
const KEYS = '/windlass/v1/enrolled_keys';
const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface CreateOptions extends TargetOptions {
  service: string;
  valid: Duration;
  uses: number;
  out?: string;
}

const durationIn = (given: string): Duration => {
  const duration = asDuration(given);
  if (duration === undefined || duration < 1_000)
    throw new InvalidArgumentError('expected a length of time such as 30m, 1h or 7d');
  return duration;
};

const countIn = (given: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new InvalidArgumentError('expected a whole number above 0');
  return Number(given);
};

/** `./windlass enrolment-token`: what services enrol their keys with. */
export function enrolmentTokenCommand(where: Surroundings): Command {
  const command = new Command('enrolment-token').description('tokens that services enrol their keys with');
  withTarget(
    command
      .command('create')
      .description('make a token; its text is printed once, or written to a file that only you can read')
      .requiredOption('--service <name>', 'the service that it is for')
      .option('--valid <time>', `how long it may be used (default: ${durationText(hours(1))})`, durationIn, hours(1))
      .option('--uses <n>', 'how many keys it may enrol: one for each replica with a key of its own (default: 1)', countIn, 1)
      .option('--out <file>', 'write it there (mode 0600) instead of printing it'),
  ).action(async ({ service, valid, uses, out, ...target }: CreateOptions) => {
    const body = { service, validForSeconds: Math.ceil(valid / 1_000), uses };
    const { token, id } = await (await apiOf(where, target)).post(TOKENS, body);
    if (out === undefined) print(text(token));
    else {
      await writeSecret(resolve(where.calledFrom, out), text(token));
      print(`token ${text(id)} for ${service} is in ${out}`);
    }
  });
  withTarget(command.command('list').description('the tokens, a line each; their texts are not kept')).action(
    async (options: TargetOptions) => {
      for (const token of await (await apiOf(where, options)).list(TOKENS)) print(tokenLine(token));
    },
  );
  withTarget(
    command.command('revoke <id>').description('no key is enrolled with it any more; those that were enrolled stay so'),
  ).action(async (id: string, options: TargetOptions) =>
    (await apiOf(where, options)).delete(`${TOKENS}/${encodeURIComponent(id)}`),
  );
  return command;
}

/** `./windlass enrolment`: the keys that steps are sealed to. */
export function enrolmentCommand(where: Surroundings): Command {
  const command = new Command('enrolment').description('keys of services that steps are sealed to');
  withTarget(command.command('list').description('the keys, a line each')).action(async (options: TargetOptions) => {
    for (const key of await (await apiOf(where, options)).list(KEYS)) print(keyLine(key));
  });
  withTarget(
    command
      .command('revoke <keyId>')
      .description('give that key no step any more, and take nothing from it; it is never enrolled again'),
  ).action(async (id: string, options: TargetOptions) =>
    (await apiOf(where, options)).delete(`${KEYS}/${encodeURIComponent(id)}`),
  );
  return command;
}

const tokenLine = ({ id, service, uses, maxUses, expiresAt, revokedAt, createdBy }: JsonObject): string =>
  [
    text(id),
    text(service),
    `used ${text(uses)} of ${maxUses === null ? 'any number' : text(maxUses)}`,
    revokedAt === null ? (expiresAt === null ? 'until revoked' : `until ${text(expiresAt)}`) : `revoked ${text(revokedAt)}`,
    `by ${text(createdBy)}`,
  ].join('  ');

const keyLine = ({ id, service, worker, tokenId, enrolledAt, revokedAt }: JsonObject): string =>
  [
    text(id),
    text(service),
    `enrolled ${text(enrolledAt)} by ${text(worker)} with token ${text(tokenId)}`,
    revokedAt === null ? 'holds' : `revoked ${text(revokedAt)}`,
  ].join('  ');
