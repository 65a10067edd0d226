import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import { claimParameters, STANDING, STANDING_FROM, STANDING_WHERE, type ClaimStanding, type NamedClaim } from './pg-claims.js';

/** A machine as a claim asks for it. */
export interface ClaimedMachine extends ClaimStanding {
  /** The VNFC of the claim's operation or instance that it is; null where it is none of them. */
  vnfcId: string | null;
  /** Host keys that were known before it was first seen. */
  known: string[] | null;
  pinned: string | null;
}

/** A pinned host key, as it is shown. */
export interface HostKeyRecord {
  /** Of the machine at its VIM: `computeResource.resourceId`. */
  resourceId: string;
  /** Type and base64, as in a known_hosts file. */
  key: string;
  /** Null in what was pinned before a release that kept whose machine it is. */
  vnfInstanceId: string | null;
  vnfcId: string | null;
  pinnedAt: Date;
  /** Null as above. */
  operationId: string | null;
  service: string | null;
  keyId: string | null;
}

const RECORD = `resource_id AS "resourceId", key, vnf_instance_id AS "vnfInstanceId", vnfc_id AS "vnfcId", pinned_at AS "pinnedAt",
  operation_id AS "operationId", service, key_id AS "keyId"`;

/** Which rows a project's admins see; those of no project are the operator's matter. */
const SCOPE = '(tenant = $1 OR ($2 AND tenant IS NULL))';

export interface HostKeyScope {
  tenant: string;
  unowned: boolean;
}

/**
 * Host keys of machines, each of a VNF instance and by its id at the VIM: a replaced server is a new pin, and what another tenant's VIM calls its
 * machine is no matter. What is pinned stands until it is removed.
 */
export class PgHostKeys {
  constructor(private readonly database: DataSource) {}

  /** How the claim stands, whether the machine is one of its operation's, and which keys are known: one statement. Undefined as of PgClaims. */
  async machine(claim: NamedClaim, resourceId: string): Promise<ClaimedMachine | undefined> {
    const [row] = await rowsOf<ClaimedMachine>(
      this.database.manager,
      `SELECT ${STANDING}, vnfc.it->>'id' AS "vnfcId", vnfc.it->'hostKeys' AS known, h.key AS pinned
       FROM ${STANDING_FROM}
       LEFT JOIN lcm.vnf_instance AS i ON i.id = occ.vnf_instance_id
       LEFT JOIN LATERAL (
         SELECT it FROM jsonb_array_elements(
           coalesce(occ.draft->'instantiated'->'vnfcs', '[]') || coalesce(i.instantiated->'vnfcs', '[]')) AS it
         WHERE it->>'resourceId' = $6 LIMIT 1
       ) AS vnfc ON true
       LEFT JOIN LATERAL (
         SELECT key FROM lcm.host_key WHERE resource_id = $6 AND (vnf_instance_id = occ.vnf_instance_id OR vnf_instance_id IS NULL)
         ORDER BY vnf_instance_id NULLS LAST LIMIT 1
       ) AS h ON true
       WHERE ${STANDING_WHERE}`,
      [...claimParameters(claim), resourceId],
    );
    return row;
  }

  /** @returns whether it is the one that is pinned now because of this */
  async pin(
    { resourceId, key }: { resourceId: string; key: string },
    { operationId, service, keyId }: NamedClaim,
    { tenant, vnfInstanceId, vnfcId }: ClaimedMachine,
    manager: EntityManager,
  ): Promise<boolean> {
    const pinned = await rowsOf(
      manager,
      `INSERT INTO lcm.host_key (resource_id, key, tenant, vnf_instance_id, vnfc_id, operation_id, service, key_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (resource_id, vnf_instance_id) DO NOTHING RETURNING 1`,
      [resourceId, key, tenant, vnfInstanceId, vnfcId, operationId, service, keyId],
    );
    return pinned.length > 0;
  }

  /** The key that is pinned for a machine of an instance, by whomever. */
  async find(vnfInstanceId: string, resourceId: string): Promise<string | undefined> {
    const sql = 'SELECT key FROM lcm.host_key WHERE vnf_instance_id = $1 AND resource_id = $2';
    return (await rowsOf<{ key: string }>(this.database.manager, sql, [vnfInstanceId, resourceId]))[0]?.key;
  }

  /** A page in the order of resource ids and instances, after the marker. */
  page(
    { tenant, unowned }: HostKeyScope,
    filter: { vnfInstanceId?: string },
    after: Pick<HostKeyRecord, 'resourceId' | 'vnfInstanceId'> | undefined,
    limit: number,
  ): Promise<HostKeyRecord[]> {
    return rowsOf<HostKeyRecord>(
      this.database.manager,
      `SELECT ${RECORD} FROM lcm.host_key
       WHERE ${SCOPE} AND ($3::uuid IS NULL OR vnf_instance_id = $3) AND ($4::text IS NULL OR (resource_id, coalesce(vnf_instance_id::text, '')) > ($4, $5))
       ORDER BY resource_id, coalesce(vnf_instance_id::text, '') LIMIT $6`,
      [tenant, unowned, filter.vnfInstanceId ?? null, after?.resourceId ?? null, after?.vnfInstanceId ?? '', limit],
    );
  }

  /** The removed one, or undefined where there is none in that scope. Where two VIMs of a project gave two machines one id, the keys of both go. */
  async remove(
    { tenant, unowned }: HostKeyScope,
    resourceId: string,
    manager: EntityManager = this.database.manager,
  ): Promise<HostKeyRecord | undefined> {
    const sql = `DELETE FROM lcm.host_key WHERE ${SCOPE} AND resource_id = $3 RETURNING ${RECORD}`;
    return (await rowsOf<HostKeyRecord>(manager, sql, [tenant, unowned, resourceId]))[0];
  }
}
