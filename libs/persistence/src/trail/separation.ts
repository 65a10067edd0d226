import { TerminalError } from '@windlass/foundation';
import { DataSource, type EntityManager } from 'typeorm';
import { connectDatabase, migrate, rowsOf } from '../database.js';
import { CHAINED_COLUMNS } from './chained-entry.js';

/** Who owns the audit trail where it is separated: nobody logs in as this role, and no service is a member of it. */
export const TRAIL_KEEPER = 'windlass_trail_keeper';

/** Whether the role that services connect as could change the trail. */
export interface Separation {
  separated: boolean;
  /** Who could do what; null where it is separated. */
  reason: string | null;
}

/** What is the keeper's: with any of these somebody could make the others his. */
const TABLES = ['lcm.audit_trail', 'lcm.audit_link'];
const FUNCTIONS = ['lcm.keep_audit_trail()', 'lcm.purge_audit_trail(timestamptz, int)'];

/** What of an entry a service says; its id and its time are the database's. */
const COLUMNS_OF_THE_SERVICE = CHAINED_COLUMNS.filter((column) => column !== 'id' && column !== 'at');

/** Looks as the role that is connected. */
export async function separationOf(manager: EntityManager): Promise<Separation> {
  const [row] = await rowsOf<{ role: string; superuser: boolean; owned: string[]; changes: string[] }>(
    manager,
    `SELECT current_user AS role, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
       ARRAY(SELECT thing FROM (
         SELECT oid::regclass::text AS thing, relowner AS owner FROM pg_class WHERE oid = ANY ($1::regclass[])
         UNION ALL SELECT oid::regprocedure::text, proowner FROM pg_proc WHERE oid = ANY ($2::regprocedure[])
         UNION ALL SELECT 'schema ' || nspname, nspowner FROM pg_namespace WHERE nspname = 'lcm'
       ) AS things WHERE pg_has_role(owner, 'MEMBER') ORDER BY thing) AS owned,
       ARRAY(SELECT thing FROM unnest($1::text[]) AS thing WHERE has_table_privilege(thing, 'UPDATE, DELETE, TRUNCATE, TRIGGER')) AS changes`,
    [TABLES, FUNCTIONS],
  );
  if (row === undefined) return { separated: false, reason: 'PostgreSQL does not say who owns the audit trail' };
  const { role, superuser, owned, changes } = row;
  if (superuser) return not(`services connect as ${role}, who is a superuser`);
  if (owned.length > 0) return not(`services connect as ${role}, who owns ${owned.join(', ')}`);
  return changes.length > 0
    ? not(`services connect as ${role}, who may change ${changes.join(', ')}`)
    : { separated: true, reason: null };
}

const not = (reason: string): Separation => ({ separated: false, reason });

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * The statements that hand the audit trail to its keeper, for a superuser in the database of Windlass, after the migrations. They can be
 * repeated. The schema goes with it, since its owner may drop whatever lies in it; services may still make tables there.
 * @param services the role that services connect as
 */
export function separationStatements(services: string): string[] {
  const role = quoted(services);
  const keeper = quoted(TRAIL_KEEPER);
  const both = TABLES.join(', ');
  return [
    // Roles belong to all databases of a server, and two may be made ready at once.
    `DO $$ BEGIN CREATE ROLE ${keeper} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
    `ALTER SCHEMA lcm OWNER TO ${keeper}`,
    `GRANT USAGE, CREATE ON SCHEMA lcm TO ${role}`,
    ...TABLES.map((table) => `ALTER TABLE ${table} OWNER TO ${keeper}`),
    ...FUNCTIONS.map((name) => `ALTER FUNCTION ${name} OWNER TO ${keeper}`),
    `REVOKE ALL ON ${both} FROM ${role}, PUBLIC`,
    `GRANT SELECT ON ${both} TO ${role}`,
    `GRANT INSERT (${COLUMNS_OF_THE_SERVICE.join(', ')}) ON lcm.audit_trail TO ${role}`,
    `GRANT INSERT ON lcm.audit_link TO ${role}`,
    `GRANT EXECUTE ON FUNCTION lcm.purge_audit_trail(timestamptz, int) TO ${role}`,
  ];
}

/**
 * Brings the schema up to date as the services would, then hands the audit trail to its keeper, if it is not his already.
 * @param urls of the same database: as services connect, and as a superuser
 * @throws TerminalError `audit-trail.separation` where services connect as a superuser, or the other is none
 */
export async function separateTrail(urls: { services: string; admin: string }): Promise<void> {
  const services = await connectDatabase({ url: urls.services, applicationName: 'windlass audit trail', poolSize: 1 });
  try {
    await migrate(services);
    if ((await separationOf(services.manager)).separated) return;
    const role = await roleOf(services.manager);
    if (role.superuser)
      throw refusal(
        `services connect as ${role.name}, a superuser, from whom nothing can be kept: give them a role of their own`,
      );
    await handOver(urls.admin, role.name);
    const { separated, reason } = await separationOf(services.manager);
    if (!separated) throw refusal(reason ?? '');
  } finally {
    await services.destroy();
  }
}

async function handOver(url: string, services: string): Promise<void> {
  const admin = new DataSource({ type: 'postgres', url, applicationName: 'windlass audit trail', poolSize: 1 });
  await admin.initialize();
  try {
    const { name, superuser } = await roleOf(admin.manager);
    if (!superuser) throw refusal(`${name} is no superuser of PostgreSQL`);
    await admin.transaction(async (manager) => {
      for (const statement of separationStatements(services)) await manager.query(statement);
    });
  } finally {
    await admin.destroy();
  }
}

async function roleOf(manager: EntityManager): Promise<{ name: string; superuser: boolean }> {
  const [row] = await rowsOf<{ name: string; superuser: boolean }>(
    manager,
    'SELECT rolname AS name, rolsuper AS superuser FROM pg_roles WHERE rolname = current_user',
  );
  return row ?? { name: 'nobody known', superuser: false };
}

const refusal = (reason: string): TerminalError =>
  new TerminalError('audit-trail.separation', `the audit trail can't be handed to its keeper: ${reason}`);
