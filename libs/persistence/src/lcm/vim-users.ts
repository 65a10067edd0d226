import type { EntityManager } from 'typeorm';
import { BY_THE_INDEX } from '../by-the-index.js';
import { rowsOf } from '../database.js';

/** So many are named: whoever asks wants to know whether there is any, and which to look at first. */
export const MOST_VIM_USERS = 100;

/** Instances whose resources lie in the VIM, or whose operation, not final, works on it; {@link MOST_VIM_USERS} at most. */
export async function vimUsers(manager: EntityManager, tenant: string, vimId: string): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    manager,
    // Not by a UNION of the three: PostgreSQL sorts for it, and may take the index that has all of a project in that order.
    `SELECT DISTINCT id FROM (
     (SELECT id FROM lcm.vnf_instance WHERE tenant = $1 AND instantiated IS NOT NULL AND instantiated->'vim'->>'vimId' = $2 LIMIT $3)
     UNION ALL (SELECT id FROM lcm.vnf_instance WHERE tenant = $1 AND leftovers IS NOT NULL AND leftovers->'vim'->>'vimId' = $2 LIMIT $3)
     UNION ALL (SELECT vnf_instance_id FROM (SELECT * FROM lcm.vnf_lcm_op_occ
       WHERE operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK') ORDER BY vnf_instance_id ${BY_THE_INDEX}) AS under_way
       WHERE tenant = $1 AND draft->'vim'->>'vimId' = $2 LIMIT $3)
    ) AS users LIMIT $3`,
    [tenant, vimId, MOST_VIM_USERS],
  );
  return rows.map(({ id }) => id);
}
