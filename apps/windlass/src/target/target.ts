import { RequestError } from '@windlass/foundation';
import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import type { ApiClient } from '../client/api-client.js';
import type { Surroundings } from '../surroundings/config.js';
import { readRuntime } from '../deployment/runtime-file.js';
import { dataDirOf } from './data-dir.js';

export interface TargetOptions {
  data?: string;
  url?: string;
  tokenFile?: string;
}

/** Adds the options that say which Windlass is meant. */
export const withTarget = (command: Command): Command =>
  command
    .option('--data <dir>', 'the data folder of the Windlass that is meant (default: ~/.cache/windlass/data)')
    .option('--url <url>', 'its REST API, where it was not started by "windlass up"')
    .option('--token-file <file>', 'with --url: the file that holds the token')
    .addHelpText('after', WITHOUT_OPTIONS);

const WITHOUT_OPTIONS = `
With neither --data nor --url, and OS_AUTH_URL in the environment: as the openstack client, log in at Keystone with OS_USERNAME, OS_PASSWORD,
OS_PROJECT_NAME, OS_USER_DOMAIN_NAME, OS_PROJECT_DOMAIN_NAME (or their ids) and ask what its catalog names as nfv-orchestration, in OS_REGION_NAME, at
OS_INTERFACE; OS_CACERT names the authorities that are trusted.`;

/** The API that the options mean. @throws RequestError saying what to do when nothing runs there */
export async function apiOf(where: Surroundings, { data, url, tokenFile }: TargetOptions): Promise<ApiClient> {
  const { ApiClient } = await import('../client/api-client.js');
  if (url !== undefined) {
    if (tokenFile === undefined) throw new RequestError(400, 'cli.token', 'give --token-file with --url');
    return new ApiClient(url, (await readFile(tokenFile, 'utf8')).trim());
  }
  if (data === undefined && where.openstack !== undefined) {
    const { throughKeystone } = await import('../client/through-keystone.js');
    const found = await throughKeystone(where.openstack);
    return new ApiClient(found.url, found.token.reveal(), undefined, found.ca);
  }
  const dataDir = dataDirOf(where, data);
  const info = await readRuntime(dataDir);
  if (info === undefined)
    throw new RequestError(
      404,
      'cli.not-running',
      `no Windlass runs on ${dataDir}: start one with "./windlass up --lab", or name another with --data or --url`,
    );
  return new ApiClient(info.url, (await readFile(info.tokenFile, 'utf8')).trim());
}
