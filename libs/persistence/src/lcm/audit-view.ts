import {
  expectedVnf,
  type AuditView,
  type ExpectedVnf,
  type InstantiatedState,
  type InternalKind,
  type InternalState,
  type Leftovers,
} from '@windlass/lifecycle';
import type { EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { readSharedImages } from './shared-images.js';

interface VnfRow {
  id: string;
  tenant: string;
  instantiation_state: ExpectedVnf['instantiationState'];
  instantiated: InstantiatedState | null;
  leftovers: Leftovers | null;
}

/** Instances that are in memory as they lie in the database: of some 10 kB each. */
const FETCHED = 500;

/** What the database says about things in VIMs, of all projects: one statement a part, of one snapshot. */
export async function readAuditView(manager: EntityManager, since?: Date): Promise<AuditView> {
  const [clock] = await rowsOf<{ at: Date }>(manager, 'SELECT clock_timestamp() AS at');
  // First what is busy: what ends after this statement and before the next changes its state after `at`, and so is busy in the second look.
  const busy = await rowsOf<{ id: string }>(
    manager,
    `SELECT vnf_instance_id AS id FROM lcm.vnf_lcm_op_occ WHERE operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK')
     UNION SELECT vnf_instance_id FROM lcm.vnf_lcm_op_occ
       WHERE operation_state IN ('COMPLETED', 'FAILED', 'ROLLED_BACK') AND state_entered_time >= $1
     UNION SELECT i.vnf_instance_id FROM lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id
       WHERE i.vnf_instance_id IS NOT NULL AND o.kind <> 'SNAPSHOT' AND (i.state = 'PENDING' OR i.changed_at >= $1)`,
    [since ?? 'infinity'],
  );
  return {
    at: (clock?.at ?? new Date()).toISOString(),
    vnfs: await readVnfs(manager),
    sharedImages: await readSharedImages(manager),
    busy: busy.map(({ id }) => id),
    waiting: await readWaiting(manager),
  };
}

/** In the transaction of the look: one statement, whose rows are fetched some at a time: what instances consist of is long, and little of it is kept. */
async function readVnfs(manager: EntityManager): Promise<ExpectedVnf[]> {
  await manager.query(
    `DECLARE audited NO SCROLL CURSOR FOR SELECT id, tenant, instantiation_state, instantiated, leftovers FROM lcm.vnf_instance ORDER BY id`,
  );
  const vnfs: ExpectedVnf[] = [];
  for (let last = FETCHED; last === FETCHED;) {
    const rows = await rowsOf<VnfRow>(manager, `FETCH ${FETCHED} FROM audited`);
    vnfs.push(...rows.map(({ instantiation_state: instantiationState, ...row }) => expectedVnf({ ...row, instantiationState })));
    last = rows.length;
  }
  await manager.query('CLOSE audited');
  return vnfs;
}

interface WaitingRow {
  id: string;
  kind: InternalKind;
  tenant: string;
  vnf_instance_id: string | null;
  state: InternalState;
  attempts: number;
  retry_at: Date | null;
  error: { detail?: string } | null;
}

async function readWaiting(manager: EntityManager): Promise<AuditView['waiting']> {
  const rows = await rowsOf<WaitingRow>(
    manager,
    `SELECT i.id, o.kind, o.tenant, i.vnf_instance_id, i.state, i.attempts, i.retry_at, i.error
     FROM lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id
     WHERE o.kind NOT IN ('AUDIT', 'SNAPSHOT') AND (i.state = 'GIVEN_UP' OR (i.state = 'PENDING' AND i.attempts > 0)) ORDER BY o.created_at`,
  );
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    tenant: row.tenant,
    vnfInstanceId: row.vnf_instance_id,
    state: row.state,
    attempts: row.attempts,
    retryAt: row.retry_at?.toISOString() ?? null,
    error: row.error?.detail ?? null,
  }));
}
