import type { OpOccRecord, PackageRecord } from '@windlass/lifecycle';
import { instanceRow, migrations, opOccRow, type Vault } from '@windlass/persistence';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { datesIn, instanceOfToday, MIGRATIONS, type RecordedInstance, type RecordedJournal } from './recorded-journal.js';

type Row = Record<string, unknown>;

/** Runs the migrations up to the named one. */
export async function migrateUpTo(database: DataSource, migration: string): Promise<void> {
  const upTo = migrations.slice(0, MIGRATIONS.indexOf(migration) + 1);
  const older = new DataSource({ ...database.options, migrations: upTo, poolSize: 1, extra: {} } as DataSourceOptions);
  await older.initialize();
  try {
    await older.runMigrations({ transaction: 'each' });
  } finally {
    await older.destroy();
  }
}

/**
 * Puts a recorded journal into the database of its release, payloads and requests sealed. Tables and columns that do not exist yet are left
 * out; columns that the record lacks get their defaults.
 */
export async function loadRows(database: DataSource, vault: Vault, recorded: RecordedJournal, pkg: PackageRecord): Promise<void> {
  for (const [table, rows] of tablesOf(recorded, vault, pkg)) {
    const [schema, name] = table.split('.');
    const known = await database.query<{ column_name: string }[]>(
      'SELECT column_name FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2',
      [schema, name],
    );
    if (known.length === 0) continue;
    const columns = known.map(({ column_name: column }) => column);
    for (const row of rows) {
      const there = columns.filter((column) => column in row).join(', ');
      await database.query(
        `INSERT INTO ${table} (${there}) SELECT ${there} FROM jsonb_populate_record(NULL::${table}, $1::jsonb)`,
        [JSON.stringify(row)],
      );
    }
  }
}

/** The rows by table, in the order of the tables' references. */
function tablesOf(recorded: RecordedJournal, vault: Vault, { id, model, files }: PackageRecord): [string, Row[]][] {
  const { tenant } = recorded.instances[0] ?? { tenant: '' };
  const onboarded = { id, tenant, onboardingState: 'ONBOARDED', operationalState: 'ENABLED', vnfdId: model.vnfdId, model, files };
  return [
    ['lcm.operation', recorded.operations.map(rowOf)],
    ['lcm.step', Object.values(recorded.steps).flat().map(rowOf)],
    ['lcm.payload', payloadRows(recorded, vault)],
    ['package.vnf_package', [{ ...rowOf(onboarded), user_defined_data: {}, warnings: [] }]],
    ['lcm.vnf_instance', recorded.instances.map((instance) => instanceAsItWas(instance, vault))],
    ['lcm.vnf_lcm_op_occ', recorded.opOccs.map((opOcc) => rowOf(opOccRow(datesIn(opOcc) as OpOccRecord, vault)))],
  ];
}

/** The row of an instance: a release before migration 11 sealed the request to a column of its own. */
function instanceAsItWas(instance: RecordedInstance, vault: Vault): Row {
  const row = rowOf(instanceRow(instanceOfToday(instance), vault));
  if (!('instantiateRequest' in instance)) return row;
  const { id, instantiateRequest } = instance;
  const sealed =
    instantiateRequest === null ? null : vault.sealJson(instantiateRequest, `lcm.vnf_instance.instantiate_request ${id}`);
  return { ...row, desired: null, instantiate_request: sealed === null ? null : bytes(sealed) };
}

const payloadRows = ({ payloads }: RecordedJournal, vault: Vault): Row[] =>
  Object.entries(payloads).map(([key, value]) => {
    const [, operationId = '', stepId = '', kind = ''] = /^(\S+) (.*) (\S+)$/.exec(key) ?? [];
    const sealed = vault.sealJson(value, `lcm.payload ${operationId} ${stepId} ${kind}`);
    return { operation_id: operationId, step_id: stepId, kind, sealed: bytes(sealed) };
  });

/** A record as a row: members become columns in snake case, and bytes PostgreSQL's text of bytes. */
const rowOf = (record: object): Row =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]: [string, unknown]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      Buffer.isBuffer(value) ? bytes(value) : value,
    ]),
  );

const bytes = (buffer: Buffer): string => `\\x${buffer.toString('hex')}`;
