import { randomUUID } from 'node:crypto';
import { InvariantError } from '@windlass/foundation';
import type { DataSource, EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';
import type { Vault } from '../sealing/vault.js';

/** Bytes of every part but the last, as they come from the machine. */
export const SNAPSHOT_PART_BYTES = 512 * 1024;

/** An archive of a cluster's control plane, as the step announces it that takes it. */
export interface AnnouncedSnapshot {
  vnfInstanceId: string;
  operationId: string;
  stepId: string;
  /** Address of the master that it is of. */
  master: string;
  /** Bytes of the archive. */
  size: number;
  /** Of the archive, hex. */
  sha256: string;
  /** SHA-256 of the cluster's CA certificate, hex; where the cluster can be made of it again. */
  ca?: string | undefined;
}

/** A snapshot that is kept, as it is listed. */
export interface ClusterSnapshotRecord {
  id: string;
  vnfInstanceId: string;
  /** In which it was taken. */
  operationId: string;
  master: string;
  size: number;
  sha256: string;
  takenAt: Date;
}

const RECORD = `id, vnf_instance_id AS "vnfInstanceId", operation_id AS "operationId", master, size, sha256, begun_at AS "takenAt"`;

/** What a driver is told of them: how many are kept is a setting. */
const MOST_LISTED = 100;

const partPlace = (id: string, number: number): string => `lcm.cluster_snapshot_part.bytes ${id} ${number}`;

/** Snapshots of control planes. One that is on its way is seen by nobody but the step that brings it. */
export class PgClusterSnapshots {
  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
  ) {}

  /** The step's own, kept or on its way. */
  async of({
    vnfInstanceId,
    operationId,
    stepId,
    sha256,
  }: Pick<AnnouncedSnapshot, 'vnfInstanceId' | 'operationId' | 'stepId' | 'sha256'>): Promise<
    { id: string; size: number; kept: boolean } | undefined
  > {
    const sql = `SELECT id, size, kept_at IS NOT NULL AS kept FROM lcm.cluster_snapshot
      WHERE vnf_instance_id = $1 AND operation_id = $2 AND step_id = $3 AND sha256 = $4 ORDER BY begun_at DESC LIMIT 1`;
    const parameters = [vnfInstanceId, operationId, stepId, sha256];
    return (await rowsOf<{ id: string; size: number; kept: boolean }>(this.database.manager, sql, parameters))[0];
  }

  /** Makes room for one, in place of what of this instance never arrived. */
  async begin({ vnfInstanceId, operationId, stepId, master, size, sha256, ca }: AnnouncedSnapshot): Promise<void> {
    await this.database.transaction(async (manager) => {
      // One at a time: two that came at once would both stay.
      await manager.query('SELECT FROM lcm.vnf_instance WHERE id = $1 FOR NO KEY UPDATE', [vnfInstanceId]);
      await manager.query('DELETE FROM lcm.cluster_snapshot WHERE vnf_instance_id = $1 AND kept_at IS NULL', [vnfInstanceId]);
      await manager.query(
        `INSERT INTO lcm.cluster_snapshot (id, vnf_instance_id, operation_id, step_id, master, size, sha256, ca)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [randomUUID(), vnfInstanceId, operationId, stepId, master, size, sha256, ca ?? null],
      );
    });
  }

  /** One that came before is written over. */
  async add(id: string, number: number, bytes: Buffer): Promise<void> {
    await this.database.query(
      `INSERT INTO lcm.cluster_snapshot_part (snapshot_id, number, bytes) VALUES ($1, $2, $3)
       ON CONFLICT (snapshot_id, number) DO UPDATE SET bytes = excluded.bytes`,
      [id, number, this.vault.seal(bytes, partPlace(id, number))],
    );
  }

  /** The archive, a part at a time. @throws as {@link part} */
  async *read({ id, size }: { id: string; size: number }): AsyncGenerator<Buffer, void, undefined> {
    for (let number = 0; number * SNAPSHOT_PART_BYTES < size; number++) yield await this.part(id, number);
  }

  /** @throws InvariantError where it is missing, or was changed or moved */
  async part(id: string, number: number): Promise<Buffer> {
    const sql = 'SELECT bytes FROM lcm.cluster_snapshot_part WHERE snapshot_id = $1 AND number = $2';
    const [row] = await rowsOf<{ bytes: Buffer }>(this.database.manager, sql, [id, number]);
    if (row === undefined) throw new InvariantError(`snapshot ${id} has no part ${number}: it is gone, or was never whole`);
    return this.vault.open(row.bytes, partPlace(id, number));
  }

  /** The newest of which the cluster with that CA can be made again; of that digest, where one is given. */
  async restorable(vnfInstanceId: string, ca: string, sha256?: string): Promise<ClusterSnapshotRecord | undefined> {
    const sql = `SELECT ${RECORD} FROM lcm.cluster_snapshot WHERE vnf_instance_id = $1 AND kept_at IS NOT NULL AND ca = $2
      AND ($3::text IS NULL OR sha256 = $3) ORDER BY begun_at DESC, id LIMIT 1`;
    return (await rowsOf<ClusterSnapshotRecord>(this.database.manager, sql, [vnfInstanceId, ca, sha256 ?? null]))[0];
  }

  /** All of which the cluster with that CA can be made again, the newest first. */
  allRestorable(vnfInstanceId: string, ca: string): Promise<ClusterSnapshotRecord[]> {
    const sql = `SELECT ${RECORD} FROM lcm.cluster_snapshot WHERE vnf_instance_id = $1 AND kept_at IS NOT NULL AND ca = $2
      ORDER BY begun_at DESC, id LIMIT ${MOST_LISTED}`;
    return rowsOf<ClusterSnapshotRecord>(this.database.manager, sql, [vnfInstanceId, ca]);
  }

  /** Whether there is one of which a cluster can be made again, whichever. */
  async anyRestorable(vnfInstanceId: string): Promise<boolean> {
    const sql =
      'SELECT 1 FROM lcm.cluster_snapshot WHERE vnf_instance_id = $1 AND kept_at IS NOT NULL AND ca IS NOT NULL LIMIT 1';
    return (await rowsOf(this.database.manager, sql, [vnfInstanceId])).length > 0;
  }

  /** From now on it is there; of its instance's, so many of the newest stay. */
  async keep(id: string, most: number, manager: EntityManager): Promise<void> {
    await manager.query('UPDATE lcm.cluster_snapshot SET kept_at = clock_timestamp() WHERE id = $1', [id]);
    await manager.query(
      `DELETE FROM lcm.cluster_snapshot WHERE id IN (
         SELECT s.id FROM lcm.cluster_snapshot AS s JOIN lcm.cluster_snapshot AS kept ON kept.vnf_instance_id = s.vnf_instance_id
         WHERE kept.id = $1 AND s.kept_at IS NOT NULL ORDER BY s.begun_at DESC, s.id OFFSET $2)`,
      [id, most],
    );
  }

  async remove(id: string): Promise<void> {
    await this.database.query('DELETE FROM lcm.cluster_snapshot WHERE id = $1', [id]);
  }

  /** The newest first. */
  list(vnfInstanceId: string): Promise<ClusterSnapshotRecord[]> {
    const sql = `SELECT ${RECORD} FROM lcm.cluster_snapshot WHERE vnf_instance_id = $1 AND kept_at IS NOT NULL ORDER BY begun_at DESC, id`;
    return rowsOf<ClusterSnapshotRecord>(this.database.manager, sql, [vnfInstanceId]);
  }
}
