import type { Client } from 'pg';
import { InvariantError } from '@windlass/foundation';
import { parseMasterKeys, Vault } from '@windlass/persistence';
import { randomUUID } from 'node:crypto';
import type { Deployment } from '@windlass/windlass';

/** VNFCs of an instance in the database: the sample has one. */
const VNFCS = 4;

/** Rows of a statement. */
const BATCH = 250;

/** A row as `to_jsonb` has it. */
type Row = Record<string, unknown>;

/** An instance that the product made and instantiated, with the operation that did it: what rows are copied from. */
export interface Sampled {
  instance: Row;
  occurrence: Row;
  operation: Row;
}

/** The ids that are in the database. */
export interface Filled {
  instances: string[];
  occurrences: string[];
}

/** Reads the rows of an instance and of its only operation. */
export async function sampled(database: Client, vnfInstanceId: string): Promise<Sampled> {
  const one = async (table: string, column: string, id: unknown): Promise<Row> => {
    const { rows } = await database.query<{ row: Row }>(`SELECT to_jsonb(t) AS row FROM ${table} t WHERE ${column} = $1`, [id]);
    const [found] = rows;
    if (found === undefined) throw new InvariantError(`${table} has no row of instance ${vnfInstanceId}`);
    return found.row;
  };
  const occurrence = await one('lcm.vnf_lcm_op_occ', 'vnf_instance_id', vnfInstanceId);
  return {
    instance: withVnfcs(await one('lcm.vnf_instance', 'id', vnfInstanceId)),
    occurrence,
    operation: await one('lcm.operation', 'id', occurrence.id),
  };
}

/** Fills the database up to so many instances, each with the operation that instantiated it: rows of the product's own, sealed anew for each. */
export async function fill(
  database: Client,
  { secrets }: Deployment,
  sample: Sampled,
  filled: Filled,
  upTo: number,
  signal: AbortSignal,
): Promise<void> {
  const vault = new Vault(parseMasterKeys(secrets.masterKey));
  const before = [String(sample.instance.id), String(sample.occurrence.id)] as const;
  while (filled.instances.length < upTo) {
    signal.throwIfAborted();
    const ids = Array.from(
      { length: Math.min(BATCH, upTo - filled.instances.length) },
      () => [randomUUID(), randomUUID()] as const,
    );
    const copies = (table: string, row: Row): string[] =>
      ids.map((now, n) => copied(vault, table, { ...row, ...named(table, filled.instances.length + n) }, before, now));
    await insert(database, 'lcm.vnf_instance', copies('vnf_instance', sample.instance));
    await insert(database, 'lcm.operation', copies('operation', sample.operation));
    await insert(database, 'lcm.vnf_lcm_op_occ', copies('vnf_lcm_op_occ', sample.occurrence));
    filled.instances.push(...ids.map(([instance]) => instance));
    filled.occurrences.push(...ids.map(([, occurrence]) => occurrence));
  }
  await database.query('VACUUM ANALYZE lcm.vnf_instance, lcm.operation, lcm.vnf_lcm_op_occ');
}

/** The name of the instance with a number. */
export const nameOf = (number: number): string => `bench-${String(number).padStart(6, '0')}`;

const named = (table: string, number: number): Row => (table === 'vnf_instance' ? { vnf_instance_name: nameOf(number) } : {});

/** Both ids wherever they stand in the row, in what is sealed too. Whatever is bytea in these tables is sealed to its row and column. */
function copied(
  vault: Vault,
  table: string,
  row: Row,
  [instance, occurrence]: readonly [string, string],
  [newInstance, newOccurrence]: readonly [string, string],
): string {
  const moved = (text: string): string => text.replaceAll(instance, newInstance).replaceAll(occurrence, newOccurrence);
  const id = String(row.id);
  const sealed = Object.entries(row).flatMap(([column, value]) => {
    if (typeof value !== 'string' || !/^\\x([0-9a-f]{2})+$/.test(value)) return [];
    const place = `lcm.${table}.${column}`;
    const plain = vault.open(Buffer.from(value.slice(2), 'hex'), `${place} ${id}`).toString();
    return [[column, `\\x${vault.seal(moved(plain), `${place} ${moved(id)}`).toString('hex')}`]];
  });
  return moved(JSON.stringify({ ...row, ...(Object.fromEntries(sealed) as Row) }));
}

const insert = (database: Client, table: string, rows: readonly string[]): Promise<unknown> =>
  database.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`, [
    `[${rows.join(',')}]`,
  ]);

/** The sample's VNFC and its storage several times over, as a scaled VNF has them. */
function withVnfcs(instance: Row): Row {
  const { instantiated } = instance as { instantiated: { info: Record<string, { id: string }[] | undefined> } };
  const { info } = instantiated;
  const several = ['vnfcResourceInfo', 'vnfcInfo', 'virtualStorageResourceInfo'].flatMap((name) => {
    const list = info[name];
    return list === undefined ? [] : [[name, Array.from({ length: VNFCS }, (_one, n) => numbered(list, n)).flat()] as const];
  });
  return { ...instance, instantiated: { ...instantiated, info: { ...info, ...Object.fromEntries(several) } } };
}

const numbered = (list: readonly { id: string }[], number: number): { id: string }[] =>
  list.map((each) => (number === 0 ? each : { ...each, id: `${each.id}-${number}` }));
