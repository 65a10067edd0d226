import type { InternalKind } from '@windlass/lifecycle';
import type { DataSource } from 'typeorm';
import { runPreparedAlone, type Statement } from '../prepared.js';

/** An internal operation that does not go on by itself. */
export interface InternalToBeMoved {
  readonly id: string;
  readonly kind: InternalKind;
  /** A snapshot in flight that gives way; otherwise one that failed, whose pause is over. */
  readonly givesWay: boolean;
  readonly attempts: number;
  /** Why it failed. */
  readonly reason: string | null;
}

/**
 * One statement for all, since it is asked twice a second, also where nothing happens. A snapshot gives way to an operation in flight of its instance, and ends
 * where that has no cluster any more: a termination may be over sooner than this is asked.
 */
const TO_BE_MOVED: Statement = {
  name: 'windlass internal operations to be moved',
  text: `(SELECT i.id, o.kind, false AS "givesWay", i.attempts, i.error->>'detail' AS reason
       FROM lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id
       WHERE i.state = 'PENDING' AND i.retry_at <= clock_timestamp() ORDER BY i.retry_at LIMIT $1)
    UNION ALL
    (SELECT n.id, o.kind, true, n.attempts, NULL FROM lcm.internal_operation AS n JOIN lcm.operation AS o ON o.id = n.id
       WHERE n.state = 'PENDING' AND o.kind = 'SNAPSHOT' AND o.status IN ('accepted', 'running') AND (
         EXISTS (
           SELECT FROM lcm.vnf_lcm_op_occ WHERE vnf_instance_id = n.vnf_instance_id AND operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK'))
         OR NOT EXISTS (SELECT FROM lcm.vnf_instance WHERE id = n.vnf_instance_id AND instantiation_state = 'INSTANTIATED'))
       LIMIT $1)`,
};

/** Looks for internal operations that nobody's message moves; of all projects. */
export class PgInternalLooks {
  constructor(private readonly database: DataSource) {}

  /** @param limit of those that failed, and of those that give way */
  toBeMoved(limit: number): Promise<InternalToBeMoved[]> {
    return runPreparedAlone(this.database, TO_BE_MOVED, [limit]);
  }
}
