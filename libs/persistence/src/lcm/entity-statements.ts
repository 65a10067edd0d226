import type { EntityManager, EntityMetadata, ObjectType } from 'typeorm';
import { VimEntity } from '../entities/vim.entity.js';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import { VnfLcmOpOccEntity } from '../entities/vnf-lcm-op-occ.entity.js';
import { runPrepared } from '../prepared.js';
import { gathered } from '../transaction.js';
import { givenRows, listedRows, rowsAsJson, type HeldRows, type HeldWrite } from '../written-together.js';

type Columns = EntityMetadata['columns'];

/** Texts by the names of their statements: TypeORM's metadata never changes. */
const texts = new Map<string, string>();

function named(name: string, text: () => string): { name: string; text: string } {
  const found = texts.get(name) ?? text();
  texts.set(name, found);
  return { name, text: found };
}

const metadataOf = (manager: EntityManager, entity: ObjectType<object>): EntityMetadata => manager.dataSource.getMetadata(entity);

/** As `pg` takes the members of an entity. */
const valuesOf = (columns: Columns, row: object): unknown[] =>
  columns.map(({ type, propertyName }) => {
    const value = (row as Record<string, unknown>)[propertyName] ?? null;
    return type === 'jsonb' && value !== null ? JSON.stringify(value) : value;
  });

/**
 * The row in which these members have these values, if there is one: as TypeORM's `findOneBy`, by a statement that PostgreSQL plans once a connection.
 * @param name of the statement: of the same entity, members and lock it is the same
 * @param lock such as FOR UPDATE
 */
export async function findPrepared<E extends object>(
  manager: EntityManager,
  entity: ObjectType<E>,
  name: string,
  where: Partial<Record<keyof E, string | boolean>>,
  lock = '',
): Promise<E | null> {
  const members = Object.keys(where);
  const statement = named(name, () => {
    const { columns, tablePath } = metadataOf(manager, entity);
    const column = (member: string) => columns.find(({ propertyName }) => propertyName === member)?.databaseName;
    const conditions = members.map((member, n) => `${column(member)} = $${n + 1}`);
    return `SELECT ${selected(columns)} FROM ${tablePath} AS r WHERE ${conditions.join(' AND ')} LIMIT 1 ${lock}`;
  });
  const [found] = await runPrepared<E>(manager, statement, Object.values(where));
  return found ?? null;
}

const selected = (columns: Columns, of = 'r', prefix = ''): string =>
  columns.map(({ databaseName, propertyName }) => `${of}.${databaseName} AS "${prefix}${propertyName}"`).join(', ');

/** Inserts a row of an entity. @param name of the statement: of the same entity it is the same */
export function insertion<E extends object>(manager: EntityManager, entity: ObjectType<E>, name: string, row: E): HeldWrite {
  const { columns, tablePath } = metadataOf(manager, entity);
  const statement = named(name, () => {
    const names = columns.map(({ databaseName }) => databaseName).join(', ');
    return `INSERT INTO ${tablePath} (${names}) VALUES (${columns.map((_column, n) => `$${n + 1}`).join(', ')})`;
  });
  return { statement, values: () => valuesOf(columns, row) };
}

/** An occurrence with its instance. */
export interface OccurrenceRead {
  opOcc: VnfLcmOpOccEntity;
  instance: VnfInstanceEntity | null;
}

const OF_INSTANCE = 'instance ';

/** An occurrence with its instance, by one statement: who moves an operation mostly needs both. */
export const findOccurrence = (manager: EntityManager, id: string): Promise<OccurrenceRead | null> =>
  gathered(manager, 'windlass occurrences with their instances', id, (ids) => findOccurrences(manager, ids));

async function findOccurrences(manager: EntityManager, ids: readonly string[]): Promise<(OccurrenceRead | null)[]> {
  const [opOccs, instances] = [metadataOf(manager, VnfLcmOpOccEntity), metadataOf(manager, VnfInstanceEntity)];
  const statement = named(
    'windlass occurrences with their instances',
    () =>
      `SELECT wanted.place::int AS "place", ${selected(opOccs.columns)}, ${selected(instances.columns, 'i', OF_INSTANCE)}
       FROM ${listedRows('$1::uuid[]')} AS wanted (id, place) JOIN ${opOccs.tablePath} AS r ON r.id = wanted.id
       LEFT JOIN ${instances.tablePath} AS i ON i.id = r.vnf_instance_id`,
  );
  const rows = await runPrepared<Record<string, unknown> & { place: number }>(manager, statement, [ids]);
  const found = new Map(
    rows.map((row) => {
      const instance = row[`${OF_INSTANCE}id`] === null ? null : (part(row, instances.columns, OF_INSTANCE) as VnfInstanceEntity);
      return [row.place, { opOcc: part(row, opOccs.columns) as VnfLcmOpOccEntity, instance }];
    }),
  );
  return ids.map((_id, at) => found.get(at + 1) ?? null);
}

const OF_VIM = 'vim ';

/**
 * An instance of a project with the VIMs that a request may mean: those that it names, and the project's default ones. By one statement: who checks a request needs
 * both.
 * @param vimIds null: none is wanted
 */
export async function findInstanceWithVims(
  manager: EntityManager,
  where: { tenant: string; id: string },
  vimIds: readonly string[] | null,
): Promise<{ instance: VnfInstanceEntity; vims: VimEntity[] } | null> {
  const [instances, vims] = [metadataOf(manager, VnfInstanceEntity), metadataOf(manager, VimEntity)];
  const statement = named(
    'windlass instance with VIMs',
    () =>
      `SELECT ${selected(instances.columns)}, ${selected(vims.columns, 'v', OF_VIM)}
       FROM ${instances.tablePath} AS r LEFT JOIN ${vims.tablePath} AS v ON v.tenant = r.tenant AND $3::uuid[] IS NOT NULL
         AND (v.id = ANY($3::uuid[]) OR v.is_default)
       WHERE r.id = $1 AND r.tenant = $2`,
  );
  const rows = await runPrepared<Record<string, unknown>>(manager, statement, [where.id, where.tenant, vimIds]);
  const [first] = rows;
  if (first === undefined) return null;
  const found = rows.filter((row) => row[`${OF_VIM}id`] !== null);
  return {
    instance: part(first, instances.columns) as VnfInstanceEntity,
    vims: found.map((row) => part(row, vims.columns, OF_VIM) as VimEntity),
  };
}

const part = (row: Record<string, unknown>, columns: Columns, prefix = ''): unknown =>
  Object.fromEntries(columns.map(({ propertyName }) => [propertyName, row[`${prefix}${propertyName}`]]));

/** An occurrence as it is written. */
type WrittenOccurrence = Omit<VnfLcmOpOccEntity, 'request'> & Partial<Pick<VnfLcmOpOccEntity, 'request'>>;

/**
 * Writes all of an occurrence, its request only where it is given: a sealed request is never the same bytes, and it is the longest of what stands there.
 * @param row as it is when it goes out
 */
export function occurrenceUpdate(manager: EntityManager, isWhole: boolean, row: () => WrittenOccurrence): HeldRows {
  const { columns: all, tablePath } = metadataOf(manager, VnfLcmOpOccEntity);
  const columns = all.filter(({ propertyName }) => isWhole || propertyName !== 'request');
  const statement = named(`windlass occurrences update${isWhole ? ' with their requests' : ''}`, () => {
    const changed = columns.filter(({ propertyName }) => propertyName !== 'id').map(({ databaseName }) => databaseName);
    return `UPDATE ${tablePath} AS o SET ${changed.map((column) => `${column} = r.${column}`).join(', ')}
      FROM ${givenRows(tablePath)} AS r WHERE o.id = r.id`;
  });
  return rowsAsJson(statement, () => [jsonOf(columns, row())]);
}

/** As `jsonb_populate_recordset` takes a row: bytes as PostgreSQL writes them. */
const jsonOf = (columns: Columns, row: object): Record<string, unknown> =>
  Object.fromEntries(
    columns.map(({ databaseName, propertyName }) => {
      const value = (row as Record<string, unknown>)[propertyName] ?? null;
      return [databaseName, Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value];
    }),
  );

/** Writes all of an instance that is at this version, which goes up by one. @returns whether it was at it */
export async function updateInstance(manager: EntityManager, row: VnfInstanceEntity): Promise<boolean> {
  const { columns: all, tablePath } = metadataOf(manager, VnfInstanceEntity);
  const columns = all.filter(({ propertyName }) => !['id', 'version'].includes(propertyName));
  const statement = named('windlass instance update', () => {
    const assignments = columns.map(({ databaseName }, n) => `${databaseName} = $${n + 3}`);
    return `UPDATE ${tablePath} SET ${assignments.join(', ')}, version = version + 1 WHERE id = $1 AND version = $2 RETURNING 1`;
  });
  const rows = await runPrepared(manager, statement, [row.id, row.version, ...valuesOf(columns, row)]);
  return rows.length === 1;
}
