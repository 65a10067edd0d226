import { createHash } from 'node:crypto';
import { RequestError } from '@windlass/foundation';
import type { SnapshotReply, SnapshotRequest } from '@windlass/messaging';
import { SNAPSHOT_PART_BYTES, type NamedClaim, type PgAuditTrail, type PgClusterSnapshots } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import type { Author } from './vims.js';

/** What is kept of each VNF instance at most. */
export interface SnapshotLimits {
  /** How many; 0: none. */
  kept: number;
  /** Bytes of one, packed. */
  mostBytes: number;
}

/** How the registry is told to keep them, unless it is told otherwise. */
export const defaultSnapshotLimits: SnapshotLimits = { kept: 3, mostBytes: 64 * 1024 * 1024 };

/** Snapshots of the control plane of the claim's own cluster, which its steps bring. */
export class ClusterSnapshots {
  constructor(
    private readonly database: DataSource,
    private readonly snapshots: PgClusterSnapshots,
    private readonly trail: PgAuditTrail,
    private readonly limits: SnapshotLimits,
  ) {}

  /**
   * Without a part it is announced; with its last part it is whole.
   * @param part opened, where the request has one
   * @throws RequestError 400 `snapshot.invalid`, 409 `snapshot.not-announced`
   */
  async take(
    { sha256, size, master }: Pick<SnapshotRequest, 'sha256' | 'size' | 'master'>,
    part: { number: number; bytes: Buffer } | undefined,
    { operationId, stepId }: NamedClaim,
    author: Author & { tenant: string; vnfInstanceId: string },
  ): Promise<SnapshotReply> {
    const { kept: most, mostBytes } = this.limits;
    const limits = { kept: most, mostBytes };
    const announced = { vnfInstanceId: author.vnfInstanceId, operationId, stepId, master, size, sha256 };
    const there = await this.snapshots.of(announced);
    if (there?.kept === true) return { state: 'kept', ...limits };
    if (most === 0 || size > mostBytes) return { state: 'refused', ...limits };
    if (part === undefined) {
      await this.snapshots.begin(announced);
      return { state: 'awaited', ...limits };
    }
    if (there?.size !== size)
      throw new RequestError(409, 'snapshot.not-announced', `no snapshot of ${size} bytes was announced, or another one since`);
    const last = Math.ceil(size / SNAPSHOT_PART_BYTES) - 1;
    const length = part.number === last ? size - last * SNAPSHOT_PART_BYTES : SNAPSHOT_PART_BYTES;
    if (part.number > last || part.bytes.length !== length)
      throw invalid(`part ${part.number} has ${part.bytes.length} bytes: there are ${last + 1} of ${SNAPSHOT_PART_BYTES}`);
    await this.snapshots.add(there.id, part.number, part.bytes);
    if (part.number < last) return { state: 'awaited', ...limits };
    await this.#assertWhole(there.id, size, sha256);
    await this.database.transaction(async (manager) => {
      await this.snapshots.keep(there.id, most, manager);
      await this.trail.add({ ...author, code: null }, manager);
    });
    return { state: 'kept', ...limits };
  }

  async #assertWhole(id: string, size: number, sha256: string): Promise<void> {
    const hash = createHash('sha256');
    for await (const bytes of this.snapshots.read({ id, size })) hash.update(bytes);
    if (hash.digest('hex') === sha256) return;
    await this.snapshots.remove(id);
    throw invalid('what came is not what was announced: its SHA-256 is another one');
  }
}

const invalid = (why: string): RequestError => new RequestError(400, 'snapshot.invalid', `the snapshot was not kept: ${why}`);
