import type { JsonObject } from '@windlass/foundation';
import { Command } from 'commander';
import { text } from '../client/text.js';
import type { Surroundings } from '../surroundings/config.js';
import { jsonFile } from './json-object.js';
import { apiOf, withTarget, type TargetOptions } from '../target/target.js';

const DELIVERIES = '/windlass/v1/subscriptions';
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Where the subscriptions of an API lie: `vnflcm-v1`. */
const resourceOf = (api: unknown): string => `/${text(api as string).replace('-', '/')}/subscriptions`;

/** `./windlass subsc`: who is notified, and how deliveries go. */
export function subscCommand(where: Surroundings): Command {
  const command = new Command('subsc').description('subscriptions to notifications, and how deliveries go');
  withTarget(command.command('list').description('all subscriptions of the project, a line each')).action(
    async (options: TargetOptions) => {
      for (const state of await (await apiOf(where, options)).list(DELIVERIES)) print(subscriptionLine(state));
    },
  );
  withTarget(command.command('show <id>').description('a subscription, and how deliveries to it go')).action(
    async (id: string, options: TargetOptions) => {
      const api = await apiOf(where, options);
      const state = await api.get(`${DELIVERIES}/${encodeURIComponent(id)}`);
      const subscription = await api.get(`${resourceOf(state.api)}/${encodeURIComponent(id)}`);
      print(JSON.stringify({ ...subscription, deliveries: state }, undefined, 2));
    },
  );
  withTarget(
    command
      .command('create <file>')
      .description(
        'subscribe with the request body in a file, as SOL003 has it; credentials belong into the file, not on the line',
      )
      .option('--packages', 'to changes of packages, not of VNFs'),
  ).action(async (file: string, options: TargetOptions & { packages?: boolean }) => {
    const body = await jsonFile(where, file);
    const path = resourceOf(options.packages === true ? 'vnfpkgm-v1' : 'vnflcm-v1');
    print(text((await (await apiOf(where, options)).post(path, body)).id));
  });
  withTarget(command.command('delete <id>').description('end a subscription; what waits for it is dropped')).action(
    async (id: string, options: TargetOptions) => {
      const api = await apiOf(where, options);
      const { api: subscribedAt } = await api.get(`${DELIVERIES}/${encodeURIComponent(id)}`);
      await api.delete(`${resourceOf(subscribedAt)}/${encodeURIComponent(id)}`);
    },
  );
  return command;
}

/** How deliveries to a subscription go, on one line. */
export function subscriptionLine(state: JsonObject): string {
  const { id, api, callbackUri, pending, oldestAge, delivered, dropped, lastSuccessAt, lastFailureAt, lastFailure, retryAt } =
    state;
  const waits = pending === 0 ? 'nothing waits' : `${text(pending)} wait, the oldest for ${Math.round(Number(oldestAge))} s`;
  return [
    text(id),
    text(api),
    text(callbackUri),
    waits,
    `${text(delivered)} delivered`,
    ...(dropped === 0 ? [] : [`${text(dropped)} DROPPED`]),
    lastSuccessAt === null ? 'no success yet' : `last success ${text(lastSuccessAt)}`,
    ...(lastFailureAt === null ? [] : [`last failure ${text(lastFailureAt)}: ${text(lastFailure)}`]),
    ...(retryAt === null || pending === 0 ? [] : [`tried again ${text(retryAt)}`]),
  ].join('  ');
}
