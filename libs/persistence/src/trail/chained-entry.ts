import type { EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { DIGEST_BYTES, type ChainKey } from './chain-keys.js';

/** The columns of an entry that its digest covers: all that `lcm.audit_trail` has, in this order. A column more is another format. */
export const CHAINED_COLUMNS = [
  'id',
  'at',
  'kind',
  'tenant',
  'actor',
  'roles',
  'remote_address',
  'request_id',
  'method',
  'resource',
  'status',
  'code',
  'operation',
  'vnf_instance_id',
  'operation_id',
  'operation_state',
  'detail',
] as const;

const told = (column: string): string => {
  if (column === 'at') return `to_char(t.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
  return column === 'roles' ? 't.roles' : `t.${column}::text`;
};

/** An entry as it is chained: every value as text, but roles, which are a list of texts. */
export type ChainedEntry = Record<(typeof CHAINED_COLUMNS)[number], string | string[] | null> & { id: string };

const SELECTED = CHAINED_COLUMNS.map((column) => `${told(column)} AS ${column}`).join(', ');

/** Entries of `lcm.audit_trail AS t`, exactly as they lie there. */
export const entriesWhere = (manager: EntityManager, rest: string, parameters: unknown[], before = ''): Promise<ChainedEntry[]> =>
  rowsOf<ChainedEntry>(manager, `${before} SELECT ${SELECTED} FROM lcm.audit_trail AS t ${rest}`, parameters);

/** What the entry is recognised by, in hexadecimal; without the key nobody can make another entry to fit it. */
export const digestOf = (entry: ChainedEntry, key: ChainKey): string =>
  key
    .mac('windlass audit entry', ...CHAINED_COLUMNS.map((column) => entry[column]))
    .subarray(0, DIGEST_BYTES)
    .toString('hex');
