import { hours, type Duration } from '@windlass/foundation';
import { GAVE_WAY, type InternalStore } from '@windlass/lifecycle';
import type { DataSource } from 'typeorm';
import { rowsOf } from '../database.js';
import { inTransaction } from '../transaction.js';

/** A snapshot that the schedule has begun. */
export interface BegunSnapshot {
  operationId: string;
  vnfInstanceId: string;
}

/** How the schedule's attempt at a snapshot went. */
export interface SnapshotAttempt {
  id: string;
  begunAt: Date;
  state: 'RUNNING' | 'KEPT' | 'FAILED' | 'GAVE_WAY';
  /** Why none was kept, or what the one that was kept lacks. */
  reason: string | null;
}

/** When the newest snapshot of a cluster was taken. */
export interface NewestSnapshot {
  vnfInstanceId: string;
  /** Seconds since 1970; 0 where none is kept. */
  takenAt: number;
}

/**
 * Instances whose cluster's driver takes snapshots when it is asked: it has the action and the hook. Others are never asked: what a stranger's driver
 * does at that hook, nobody has asked for. Of packages that nothing is instantiated from, the model is not read. LIMIT and OFFSET keep PostgreSQL from
 * making a join of all instances of it: it asks the index of a package's instances, for each package.
 */
const CLUSTERS = `able AS MATERIALIZED (
    SELECT p.id AS package, flavour->>'id' AS flavour, d.name AS driver
    FROM package.vnf_package AS p, jsonb_array_elements(p.model->'flavours') AS flavour
    JOIN lcm.driver AS d ON d.name = flavour->'lcmBindings'->'instantiate_end'->>'implementation'
    WHERE d.removed_at IS NULL AND d.description->'hooks' ? 'modify_information_end'
      AND d.description->'actions' @> '[{"name": "keep-snapshot"}]'
      AND (SELECT true FROM lcm.vnf_instance WHERE vnf_pkg_id = p.id AND instantiation_state = 'INSTANTIATED' LIMIT 1)
  ), cluster AS (
    SELECT i.id, i.tenant, able.driver, (
        SELECT max(begun_at) FROM lcm.cluster_snapshot WHERE vnf_instance_id = i.id AND kept_at IS NOT NULL
      ) AS newest
    FROM able CROSS JOIN LATERAL (
      SELECT id, tenant FROM lcm.vnf_instance
      WHERE vnf_pkg_id = able.package AND instantiation_state = 'INSTANTIATED' AND instantiated->'info'->>'flavourId' = able.flavour OFFSET 0
    ) AS i
  )`;

/** Between two attempts, in hours: after those that failed since the newest snapshot twice as long each time, at most a day. */
const PAUSE = `make_interval(hours => least(24, 2 ^ least(greatest(tried.failures - 1, 0), 10))::int)`;

/**
 * What is due: the newest snapshot, or where there is none the last operation's change, is old enough; nothing of the instance is in flight; and the last
 * attempt is long enough ago. Parameters: the age in seconds, how many.
 */
const DUE = `WITH ${CLUSTERS}
  SELECT cluster.id, cluster.tenant, cluster.driver FROM cluster
  CROSS JOIN LATERAL (
    SELECT max(o.created_at) AS last, count(*) FILTER (WHERE n.state = 'GIVEN_UP' AND n.error->>'code' <> '${GAVE_WAY}')::int AS failures,
      bool_or(n.state = 'PENDING') AS pending
    FROM lcm.internal_operation AS n JOIN lcm.operation AS o ON o.id = n.id
    WHERE n.vnf_instance_id = cluster.id AND o.kind = 'SNAPSHOT' AND (n.state = 'PENDING' OR o.created_at > coalesce(cluster.newest, '-infinity'))
  ) AS tried
  CROSS JOIN LATERAL (SELECT max(state_entered_time) AS last FROM lcm.vnf_lcm_op_occ WHERE vnf_instance_id = cluster.id) AS operated
  WHERE coalesce(cluster.newest, operated.last, '-infinity') < clock_timestamp() - make_interval(secs => $1)
    AND tried.pending IS NOT TRUE AND NOT EXISTS (
      SELECT FROM lcm.vnf_lcm_op_occ WHERE vnf_instance_id = cluster.id AND operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK'))
    AND (tried.last IS NULL OR tried.last < clock_timestamp() - ${PAUSE})
  ORDER BY cluster.newest NULLS FIRST, cluster.id LIMIT $2`;

/** The schedule of snapshots of control planes, of all projects. */
export class PgSnapshotSchedule {
  constructor(
    private readonly database: DataSource,
    private readonly store: Pick<InternalStore, 'beginInternal'>,
  ) {}

  /**
   * Begins what is due, the clusters whose newest snapshot is oldest first. While one coordinator looks, the others pass by.
   * @param most how many may be in flight in the whole deployment
   */
  async begin(every: Duration, most: number): Promise<BegunSnapshot[]> {
    return inTransaction(this.database, async (manager) => {
      const [turn] = await rowsOf<{ mine: boolean }>(
        manager,
        `SELECT pg_try_advisory_xact_lock(hashtextextended('windlass snapshot schedule', 0)) AS mine`,
      );
      if (turn?.mine !== true) return [];
      const [flight] = await rowsOf<{ running: number }>(
        manager,
        `SELECT count(*)::int AS running FROM lcm.internal_operation AS n JOIN lcm.operation AS o ON o.id = n.id
         WHERE n.state = 'PENDING' AND o.kind = 'SNAPSHOT'`,
      );
      const free = most - (flight?.running ?? 0);
      if (free <= 0) return [];
      const due = await rowsOf<{ id: string; tenant: string; driver: string }>(manager, DUE, [every / 1_000, free]);
      const begun: BegunSnapshot[] = [];
      for (const { id: vnfInstanceId, tenant, driver } of due) {
        const subject = { driver };
        const operationId = await this.store.beginInternal(manager, {
          kind: 'SNAPSHOT',
          tenant,
          vnfInstanceId,
          vimId: null,
          subject,
        });
        begun.push({ operationId, vnfInstanceId });
      }
      return begun;
    });
  }

  /** What the schedule has tried of an instance, the newest first; those that have ended go with the journals. */
  attempts(vnfInstanceId: string, limit: number): Promise<SnapshotAttempt[]> {
    return rowsOf<SnapshotAttempt>(
      this.database.manager,
      `SELECT n.id, o.created_at AS "begunAt",
         CASE WHEN n.state = 'PENDING' THEN 'RUNNING' WHEN n.state = 'DONE' THEN 'KEPT' WHEN n.error->>'code' = '${GAVE_WAY}' THEN 'GAVE_WAY'
           ELSE 'FAILED' END AS state,
         coalesce(n.error->>'detail', (SELECT string_agg(note, '; ') FROM jsonb_array_elements_text(n.outcome->'notes') AS note)) AS reason
       FROM lcm.internal_operation AS n JOIN lcm.operation AS o ON o.id = n.id
       WHERE n.vnf_instance_id = $1 AND o.kind = 'SNAPSHOT' ORDER BY o.created_at DESC, n.id LIMIT $2`,
      [vnfInstanceId, limit],
    );
  }

  /** Of the clusters of all projects. @param limit so many, those with none and with the oldest first */
  newest(limit: number): Promise<NewestSnapshot[]> {
    return rowsOf<NewestSnapshot>(
      this.database.manager,
      `WITH ${CLUSTERS} SELECT id AS "vnfInstanceId", coalesce(extract(epoch FROM newest), 0)::float8 AS "takenAt" FROM cluster
       ORDER BY newest NULLS FIRST, id LIMIT $1`,
      [limit],
    );
  }
}

/** The shortest time that the schedule can be told: attempts are no closer than that. */
export const SHORTEST_SCHEDULE = hours(1);
