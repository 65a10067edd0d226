import type { JsonObject } from '@windlass/foundation';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ApiClient } from '../client/api-client.js';
import type { Surroundings } from '../config.js';
import { watch } from './op.js';

/** Where the API has the instances. */
export const INSTANCES = '/vnflcm/v1/vnf_instances';

/** Writes a value as a person reads it. */
export const print = (value: unknown): void =>
  void process.stdout.write(`${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`);

/** A JSON file that is named from where the command was called. */
export const jsonFile = async (where: Surroundings, file: string): Promise<JsonObject> =>
  JSON.parse(await readFile(resolve(where.calledFrom, file), 'utf8')) as JsonObject;

/** Collects the values of an option that may be given several times. */
export const collected = (value: string, earlier: string[]): string[] => [...earlier, value];

/** Asks for an operation and follows it until it rests. */
export async function followTask(api: ApiClient, path: string, body: JsonObject): Promise<void> {
  const opOccPath = await api.accept(path, body);
  print(`accepted: ${opOccPath}`);
  await watch(api, opOccPath.split('/').at(-1) ?? '');
}
