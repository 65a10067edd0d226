import type { EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';

/** Instances whose resources lie in the VIM, or whose operation, not final, works on it. */
export async function vimUsers(manager: EntityManager, tenant: string, vimId: string): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    manager,
    `SELECT id FROM lcm.vnf_instance WHERE tenant = $1 AND (instantiated->'vim'->>'vimId' = $2 OR leftovers->'vim'->>'vimId' = $2)
     UNION SELECT vnf_instance_id FROM lcm.vnf_lcm_op_occ
     WHERE tenant = $1 AND draft->'vim'->>'vimId' = $2 AND operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK')`,
    [tenant, vimId],
  );
  return rows.map(({ id }) => id);
}
