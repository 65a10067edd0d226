import type { Vnfc, SharedCp } from '@windlass/mgmt-driver';
import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';

/** A claim as its holder names it. */
export interface NamedClaim {
  operationId: string;
  stepId: string;
  epoch: number;
  service: string;
  /** The enrolled key that it was sealed to. */
  keyId: string;
}

/** How a claim stands in the journal, and whose it is: the operation's project and VNF instance. */
export interface ClaimStanding {
  tenant: string;
  vnfInstanceId: string;
  /** The step runs, under this claim and no later one, for this service; one that gives way, while there is nothing to give way to. */
  held: boolean;
  /** Its lease has not ended, by the database's clock. */
  leased: boolean;
  /** The key is enrolled for the service, and not revoked. */
  enrolled: boolean;
}

/** The columns of {@link ClaimStanding}; parameters 1 to 5 are a {@link NamedClaim}'s members in their order. */
export const STANDING = `o.tenant, occ.vnf_instance_id AS "vnfInstanceId",
  s.state = 'running' AND s.epoch + lcm.epoch_base() = $3::bigint AND s.service = $4 AND occ.stands AS held,
  coalesce(s.lease_until > clock_timestamp(), false) AS leased,
  EXISTS (SELECT FROM lcm.worker_key AS k WHERE k.id = $5 AND k.service = $4 AND k.revoked_at IS NULL) AS enrolled`;

/**
 * `occ` is the operation occurrence; of internal sagas, snapshots alone have claims. Such a one stands for as long as its instance is instantiated and no
 * operation of it is in flight: it gives way (ADR 84).
 */
export const STANDING_FROM = `lcm.step AS s JOIN lcm.operation AS o ON o.id = s.operation_id
  JOIN LATERAL (
    SELECT vnf_instance_id, draft, true AS stands FROM lcm.vnf_lcm_op_occ WHERE id = s.operation_id
    UNION ALL
    SELECT n.vnf_instance_id, '{}', EXISTS (
        SELECT FROM lcm.vnf_instance WHERE id = n.vnf_instance_id AND instantiation_state = 'INSTANTIATED'
      ) AND NOT EXISTS (
        SELECT FROM lcm.vnf_lcm_op_occ WHERE vnf_instance_id = n.vnf_instance_id AND operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK')
      )
    FROM lcm.internal_operation AS n WHERE n.id = s.operation_id AND o.kind = 'SNAPSHOT'
  ) AS occ ON true`;

export const STANDING_WHERE = 's.operation_id = $1 AND s.id = $2';

export const claimParameters = ({ operationId, stepId, epoch, service, keyId }: NamedClaim): unknown[] => [
  operationId,
  stepId,
  epoch,
  service,
  keyId,
];

/** Claims as the journal knows them. */
export class PgClaims {
  constructor(private readonly database: DataSource) {}

  /** Undefined where there is no such step of an operation on a VNF instance. */
  async standing(claim: NamedClaim, manager: EntityManager = this.database.manager): Promise<ClaimStanding | undefined> {
    const sql = `SELECT ${STANDING} FROM ${STANDING_FROM} WHERE ${STANDING_WHERE}`;
    return (await rowsOf<ClaimStanding>(manager, sql, claimParameters(claim)))[0];
  }

  /** What the claim's operation does, as SOL003 calls it, and the name of the step's action; undefined where there is no such step on a VNF instance. */
  async work({
    operationId,
    stepId,
  }: Pick<NamedClaim, 'operationId' | 'stepId'>): Promise<{ operation: string; action: string } | undefined> {
    const sql = `SELECT occ.operation, s.action FROM lcm.vnf_lcm_op_occ AS occ JOIN lcm.step AS s ON s.operation_id = occ.id
      WHERE occ.id = $1 AND s.id = $2`;
    return (await rowsOf<{ operation: string; action: string }>(this.database.manager, sql, [operationId, stepId]))[0];
  }

  /** Every address of the machines and shared CPs that the operation works on: as it has read them, else as the instance has them. */
  async addresses(operationId: string): Promise<Set<string>> {
    const [row] = await rowsOf<{ vnfcs: Vnfc[] | null; sharedCps: SharedCp[] | null }>(
      this.database.manager,
      `SELECT state->'vnfcs' AS vnfcs, state->'sharedCps' AS "sharedCps" FROM (
         SELECT coalesce(nullif(occ.draft->'instantiated', 'null'), i.instantiated) AS state
         FROM lcm.vnf_lcm_op_occ AS occ LEFT JOIN lcm.vnf_instance AS i ON i.id = occ.vnf_instance_id WHERE occ.id = $1) AS now`,
      [operationId],
    );
    const cps = [...(row?.vnfcs ?? []).flatMap((vnfc) => vnfc.cps), ...(row?.sharedCps ?? [])];
    return new Set(cps.flatMap(({ addresses, floatingIp }) => [...addresses, ...(floatingIp === null ? [] : [floatingIp])]));
  }
}
