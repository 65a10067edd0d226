import type { AxiosInstance } from 'axios';
import type { Json, JsonObject } from '@windlass/foundation';
import { rowsOf } from '@windlass/persistence';
import { expect } from 'vitest';
import type { System } from '../../support/system.js';

/** The lists of the API whose members are read, too. */
const LISTS = ['/vnflcm/v1/vnf_instances', '/vnflcm/v1/vnf_lcm_op_occs', '/vnfpkgm/v1/vnf_packages', '/v1.0/vims'];

/** The answers of the API to reads of all lists, all their members, and the events of ended operations, a text each. */
export async function everyAnswer(api: AxiosInstance, lists: readonly string[] = LISTS): Promise<string[]> {
  const answers: string[] = [];
  const look = async (path: string): Promise<unknown> => {
    const { data, headers } = await api.get<unknown>(path);
    answers.push(`${path} ${JSON.stringify([data, headers])}`);
    return data;
  };
  for (const path of lists) {
    const shown = (await look(path)) as JsonObject[] | { vims: JsonObject[] };
    for (const { id, operationState } of Array.isArray(shown) ? shown : shown.vims) {
      await look(`${path}/${String(id)}`);
      if (!path.endsWith('op_occs')) continue;
      await look(`/windlass/v1/operations/${String(id)}/steps`);
      if (operationState === 'COMPLETED' || operationState === 'ROLLED_BACK')
        await look(`/windlass/v1/operations/${String(id)}/events`);
    }
  }
  for (const path of ['audit_trail', 'clean_ups', 'enrolled_keys', 'enrolment_tokens', 'subscriptions'])
    await look(`/windlass/v1/${path}`);
  return answers;
}

/** Every value of every table, a text each, after the column's name. */
export async function everyColumn({ database }: System): Promise<string[]> {
  const tables = await rowsOf<{ name: string }>(
    database.manager,
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
  );
  const values: string[] = [];
  for (const { name } of tables)
    for (const row of await rowsOf<Record<string, Json | Buffer>>(database.manager, `SELECT * FROM ${name}`))
      for (const [column, value] of Object.entries(row))
        values.push(`${name}.${column} ${Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value)}`);
  return values;
}

/** A secret in the clear, in hexadecimal and in base64. */
const formsOf = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  // Within other base64 it begins at one of three offsets.
  const inside = [0, 1, 2].map((at) => bytes.subarray(at, bytes.length - ((bytes.length - at) % 3)));
  return [secret, bytes.toString('hex'), ...inside.flatMap((part) => [part.toString('base64'), part.toString('base64url')])];
};

/** Checks that no text has a secret in the clear. @param secrets by their meanings */
export function expectNone(secrets: ReadonlyMap<string, string>, texts: readonly string[], where: string): void {
  const all = texts.join('\n');
  const found = [...secrets].flatMap(([what, secret]) =>
    formsOf(secret).some((form) => all.includes(form)) ? [`${what} in ${where}`] : [],
  );
  expect(found).toEqual([]);
}
