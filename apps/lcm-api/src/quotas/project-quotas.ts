import { RequestError } from '@windlass/foundation';
import { rowsOf } from '@windlass/persistence';
import type { EntityManager } from 'typeorm';

/** What a project may have; no limit where a member is undefined. */
export interface ProjectQuotas {
  packages?: number | undefined;
  /** Of the archives of its VNF packages together, in bytes. */
  packageBytes?: number | undefined;
  vnfInstances?: number | undefined;
}

/** What is counted one by one. */
const COUNTED = {
  packages: {
    table: 'package.vnf_package',
    code: 'vnf-package.too-many',
    things: 'VNF packages',
    variable: 'LCM_PACKAGES_PER_PROJECT',
    order: 'delete one that nobody needs any more',
  },
  vnfInstances: {
    table: 'lcm.vnf_instance',
    code: 'vnf-instance.too-many',
    things: 'VNF instances',
    variable: 'LCM_VNF_INSTANCES_PER_PROJECT',
    order: 'terminate and delete one that nobody needs any more',
  },
} as const;

/**
 * Called in the transaction that adds one. Additions of a project come one at a time, so that two at once do not both find room for the last.
 * @param most how many the project may have; no limit where it is undefined, and then nothing waits
 * @throws RequestError 409 `vnf-package.too-many`, `vnf-instance.too-many`
 */
export async function refuseOneTooMany(
  manager: EntityManager,
  what: keyof typeof COUNTED,
  tenant: string,
  most: number | undefined,
): Promise<void> {
  if (most === undefined) return;
  const { table, code, things, variable, order } = COUNTED[what];
  await lockProject(manager, what, tenant);
  const [counted] = await rowsOf<{ count: number }>(manager, `SELECT count(*)::int AS count FROM ${table} WHERE tenant = $1`, [
    tenant,
  ]);
  const count = counted?.count ?? 0;
  if (count >= most)
    throw new RequestError(409, code, `the project has ${count} ${things}, and may have ${most} (${variable}): ${order}`);
}

/** Until the transaction ends nobody else counts this of the project. */
export async function lockProject(manager: EntityManager, what: keyof ProjectQuotas, tenant: string): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`windlass quota ${what} ${tenant}`]);
}
