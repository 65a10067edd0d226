import type { ListedInstance, ListedOpOcc, OpOccRecord, VnfInstanceRecord } from '@windlass/lifecycle';
import type { Filter } from '@windlass/sol003';
import type { DataSource, EntityTarget } from 'typeorm';
import { VnfInstanceEntity } from '../entities/vnf-instance.entity.js';
import { VnfLcmOpOccEntity } from '../entities/vnf-lcm-op-occ.entity.js';
import { runPreparedAlone } from '../prepared.js';
import type { Vault } from '../sealing/vault.js';
import { conditionsOf, textColumn, uuidColumn, type FilterColumn } from './filter-conditions.js';
import { instanceOf, opOccOf } from './instance-rows.js';

/** A page of a list, in the order of ids. */
export interface PageWanted {
  tenant: string;
  /** The id after which it begins. */
  after: string | undefined;
  limit: number;
  /** What it is filtered by: rows that can't match need not be read, others may be. */
  filter: Filter;
}

const INSTANCE_FILTERS: Readonly<Record<string, FilterColumn>> = {
  id: uuidColumn('id'),
  vnfPkgId: uuidColumn('vnf_pkg_id'),
  vnfdId: textColumn('vnfd_id'),
  vnfProvider: textColumn('vnf_provider'),
  vnfProductName: textColumn('vnf_product_name'),
  vnfSoftwareVersion: textColumn('vnf_software_version'),
  vnfdVersion: textColumn('vnfd_version'),
  instantiationState: textColumn('instantiation_state'),
  // One that nobody named is shown as `vnf-<id>`.
  vnfInstanceName: {
    type: 'text',
    among: (values) =>
      `(vnf_instance_name = ANY (${values}) OR (vnf_instance_name IS NULL AND id = ANY (ARRAY(
        SELECT substr(name, 5)::uuid FROM unnest(${values}) AS name WHERE name ~ '^vnf-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'))))`,
  },
};

const OP_OCC_FILTERS: Readonly<Record<string, FilterColumn>> = {
  id: uuidColumn('id'),
  vnfInstanceId: uuidColumn('vnf_instance_id'),
  operation: textColumn('operation'),
  operationState: textColumn('operation_state'),
};

/** Whether there is a link to a task may depend on what there is to scale. */
const SCALE_STATUS = `COALESCE(instantiated->'info'->'scaleStatus', '[]') AS "scaleStatus"`;

/**
 * The publication, and the transaction that wrote the row last: migrations and sealings anew publish nothing. PostgreSQL counts transactions
 * from the beginning again after four thousand million, and the publications of an instance go on.
 */
const MARK = `version || ' ' || xmin AS mark`;

const GRANT_URL = `draft->>'grantUrl' AS "grantUrl"`;

/**
 * Instances and occurrences to be shown: each page and each read is one statement that PostgreSQL has planned already, past TypeORM's building,
 * and has the columns that are needed.
 */
export class PgShownRows {
  readonly #instances: Columns;
  readonly #opOccs: Columns;

  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
  ) {
    this.#instances = columnsOf(database, VnfInstanceEntity, SCALE_STATUS);
    this.#opOccs = columnsOf(database, VnfLcmOpOccEntity, GRANT_URL);
  }

  async instances(wanted: PageWanted): Promise<VnfInstanceRecord[]> {
    const rows = await this.#page<VnfInstanceEntity>('instances', this.#instances, 'all', INSTANCE_FILTERS, wanted);
    return rows.map((row) => instanceOf(row, this.vault));
  }

  /** Reads what lists show by default, and opens nothing that is sealed. */
  listedInstances(wanted: PageWanted): Promise<ListedInstance[]> {
    return this.#page('instances', this.#instances, 'listed', INSTANCE_FILTERS, wanted);
  }

  /** With its mark. Undefined where the project has none of that id. */
  async instance(tenant: string, id: string): Promise<{ record: VnfInstanceRecord; mark: string } | undefined> {
    const text = `SELECT ${this.#instances.all}, ${MARK} FROM ${this.#instances.table} WHERE id = $1 AND tenant = $2`;
    const [found] = await this.#one<VnfInstanceEntity & { mark: string }>('instance', text, tenant, id);
    if (found === undefined) return undefined;
    const { mark, ...row } = found;
    return { record: instanceOf(row, this.vault), mark };
  }

  /**
   * What is another text after each change of the instance's row, whoever made it. Undefined where the project has none of that id: what is
   * kept of an instance may be shown to nobody else.
   */
  async instanceMark(tenant: string, id: string): Promise<string | undefined> {
    const text = `SELECT ${MARK} FROM ${this.#instances.table} WHERE id = $1 AND tenant = $2`;
    const [found] = await this.#one<{ mark: string }>('mark of an instance', text, tenant, id);
    return found?.mark;
  }

  async opOccs(wanted: PageWanted): Promise<OpOccRecord[]> {
    const rows = await this.#page<VnfLcmOpOccEntity>('occurrences', this.#opOccs, 'all', OP_OCC_FILTERS, wanted);
    return rows.map((row) => opOccOf(row, this.vault));
  }

  /** Reads what lists show by default, and opens nothing that is sealed. */
  listedOpOccs(wanted: PageWanted): Promise<ListedOpOcc[]> {
    return this.#page('occurrences', this.#opOccs, 'listed', OP_OCC_FILTERS, wanted);
  }

  /** Undefined where the project has none of that id. */
  async opOcc(tenant: string, id: string): Promise<OpOccRecord | undefined> {
    const text = `SELECT ${this.#opOccs.all} FROM ${this.#opOccs.table} WHERE id = $1 AND tenant = $2`;
    const [row] = await this.#one<VnfLcmOpOccEntity>('occurrence', text, tenant, id);
    return row === undefined ? undefined : opOccOf(row, this.vault);
  }

  #one<T>(what: string, text: string, tenant: string, id: string): Promise<T[]> {
    return runPreparedAlone<T>(this.database, { name: `windlass shown ${what}`, text }, [id, tenant]);
  }

  #page<T>(
    what: string,
    { table, ...columns }: Columns,
    which: 'all' | 'listed',
    filters: Readonly<Record<string, FilterColumn>>,
    { tenant, after, limit, filter }: PageWanted,
  ): Promise<T[]> {
    const values = [tenant, limit, ...(after === undefined ? [] : [after])];
    const conditions = conditionsOf(filter, filters, values.length + 1);
    const begins = after === undefined ? '' : ' AND id > $3';
    const text = `SELECT ${columns[which]} FROM ${table} WHERE tenant = $1${begins}${conditions.sql} ORDER BY id LIMIT $2`;
    const name = `windlass shown ${what}${which === 'all' ? ', whole' : ''}${after === undefined ? '' : ', after'}`;
    return runPreparedAlone<T>(this.database, { text, ...(conditions.sql === '' ? { name } : {}) }, [
      ...values,
      ...conditions.values,
    ]);
  }
}

/** A table, and what is selected of it: all columns, or those that a list shows by default. */
interface Columns {
  table: string;
  all: string;
  listed: string;
}

/** Types of columns that no list reads by default: complex attributes, and what is sealed. */
const NOT_LISTED: readonly unknown[] = ['jsonb', 'bytea'];

/** By the names that the entity has for them. @param more is listed too, and lies in a column that is not */
function columnsOf(database: DataSource, entity: EntityTarget<object>, more: string): Columns {
  const { tablePath, columns } = database.getMetadata(entity);
  const selected = (of: typeof columns): string =>
    of.map(({ databaseName, propertyName }) => `${databaseName} AS "${propertyName}"`).join(', ');
  return {
    table: tablePath,
    all: selected(columns),
    listed: `${selected(columns.filter(({ type }) => !NOT_LISTED.includes(type)))}, ${more}`,
  };
}
