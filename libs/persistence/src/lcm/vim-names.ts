import type { EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';

/** A name under which an operation that is not final is going to register a VIM, and whose operation it is. */
export interface ReservedVimName {
  name: string;
  vnfInstanceId: string;
}

/** Until the transaction ends, whoever else takes one of these names of the project waits. */
export async function lockVimNames(manager: EntityManager, tenant: string, names: readonly string[]): Promise<void> {
  const keys = names.map((name) => `vim name ${JSON.stringify([tenant, name])}`);
  // In one order for all, or two of them would wait for each other.
  await manager.query(
    `SELECT pg_advisory_xact_lock(key) FROM
      (SELECT DISTINCT hashtextextended(text, 0) AS key FROM unnest($1::text[]) AS text ORDER BY key) AS keys`,
    [keys],
  );
}

/**
 * Which of the names are reserved. The reservation is the operation's own record (`vimNames` of its draft), so it holds as long as the operation
 * may still register, whatever dies meanwhile, and is gone with the operation's end.
 */
export const reservedVimNames = (manager: EntityManager, tenant: string, names: readonly string[]): Promise<ReservedVimName[]> =>
  rowsOf<ReservedVimName>(
    manager,
    `SELECT name, op.vnf_instance_id AS "vnfInstanceId" FROM lcm.vnf_lcm_op_occ op, jsonb_array_elements_text(op.draft->'vimNames') AS name
     WHERE op.tenant = $1 AND op.operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK')
       AND jsonb_typeof(op.draft->'vimNames') = 'array' AND name = ANY($2)`,
    [tenant, names],
  );
