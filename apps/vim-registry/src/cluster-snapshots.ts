import { createHash } from 'node:crypto';
import { RequestError, type JsonObject } from '@windlass/foundation';
import {
  publicKey,
  readPartAad,
  seal,
  type KnownKeys,
  type SnapshotPartReply,
  type SnapshotPartRequest,
  type SnapshotReply,
  type SnapshotRequest,
} from '@windlass/messaging';
import { clusterVimId } from '@windlass/mgmt-driver';
import {
  caFingerprint,
  SNAPSHOT_PART_BYTES,
  VimEntity,
  vimCredentialPlace,
  type ClusterSnapshotRecord,
  type NamedClaim,
  type PgAuditTrail,
  type PgClaims,
  type PgClusterSnapshots,
  type Vault,
} from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import type { Author } from './vims.js';

/** Of whose cluster it is. */
type OwnedAuthor = Author & { tenant: string; vnfInstanceId: string };

/** The limits of what is kept of each VNF instance. */
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
   * Takes a snapshot in parts. A request without a part announces it; the last part completes it.
   * @param part opened, where the request has one
   * @throws RequestError 400 `snapshot.invalid`, 409 `snapshot.not-announced`
   */
  async take(
    { sha256, size, master, ca }: Omit<SnapshotRequest, 'part'>,
    part: { number: number; bytes: Buffer } | undefined,
    { operationId, stepId }: NamedClaim,
    author: OwnedAuthor,
  ): Promise<SnapshotReply> {
    const { kept: most, mostBytes } = this.limits;
    const limits = { kept: most, mostBytes };
    const announced = { vnfInstanceId: author.vnfInstanceId, operationId, stepId, master, size, sha256, ca };
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

/** The action whose steps bring an archive to a machine. A driver that restores clusters has to give its own action this name. */
const READER = 'fetch-snapshot';

/** Snapshots of the control plane of the claim's own cluster, which steps of `fetch-snapshot` in a heal read back. */
export class SnapshotReads {
  /** Archives, by claim, whose reading the audit trail has recorded already. After a restart it is recorded again. */
  readonly #told = new Set<string>();

  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
    private readonly snapshots: PgClusterSnapshots,
    private readonly claims: PgClaims,
    private readonly keys: KnownKeys,
    private readonly trail: PgAuditTrail,
  ) {}

  /**
   * A part of an archive, sealed to the claim's key. The audit trail records the reading before the first part is given.
   * @throws RequestError 403 `snapshot.no-heal`, `snapshot.no-reader`, 404 `snapshot.none`, 400 `snapshot.no-such-part`
   */
  async read({ number, sha256 }: SnapshotPartRequest, claim: NamedClaim, author: OwnedAuthor): Promise<SnapshotPartReply> {
    const { tenant, vnfInstanceId } = author;
    await this.#assertReader(claim);
    const ca = await this.#caOf(tenant, vnfInstanceId);
    const snapshot = ca === undefined ? undefined : await this.snapshots.restorable(vnfInstanceId, ca, sha256);
    if (snapshot === undefined)
      throw new RequestError(
        404,
        'snapshot.none',
        `no snapshot of the cluster of VNF instance ${vnfInstanceId} as it is registered is kept${sha256 === undefined ? '' : ' any more'}, of which it can be made again: see ./windlass vnf snapshots ${vnfInstanceId}`,
      );
    const parts = Math.ceil(snapshot.size / SNAPSHOT_PART_BYTES);
    if (number >= parts) throw new RequestError(400, 'snapshot.no-such-part', `there are ${parts} parts, and no part ${number}`);
    const key = await this.keys.of(claim.service, claim.keyId);
    if (typeof key === 'string') throw new RequestError(403, 'claim.key-not-enrolled', `key ${claim.keyId}: ${key}`);
    await this.#tell(claim, snapshot, author);
    const bytes = await this.snapshots.part(snapshot.id, number);
    return {
      sha256: snapshot.sha256,
      size: snapshot.size,
      master: snapshot.master,
      takenAt: snapshot.takenAt.toISOString(),
      sealed: seal(publicKey(key.publicKey), bytes, readPartAad(claim, snapshot.sha256, number)),
    };
  }

  /** Allows the archive, which holds the cluster's keys, only to the step of a heal that is there to bring it. */
  async #assertReader(claim: NamedClaim): Promise<void> {
    const work = await this.claims.work(claim);
    if (work?.operation !== 'HEAL')
      throw new RequestError(
        403,
        'snapshot.no-heal',
        `operation ${claim.operationId} heals nothing: a snapshot is read to heal by it`,
      );
    if (work.action !== READER)
      throw new RequestError(
        403,
        'snapshot.no-reader',
        `step ${claim.stepId} does ${work.action}: a snapshot is read by steps of ${READER} alone`,
      );
  }

  /** Of the cluster as it is registered. */
  async #caOf(tenant: string, vnfInstanceId: string): Promise<string | undefined> {
    const id = clusterVimId(vnfInstanceId);
    const vim = await this.database.manager.findOneBy(VimEntity, { id, tenant, type: 'kubernetes' });
    if (vim === null) return undefined;
    return caFingerprint((this.vault.openJson(vim.authCred, vimCredentialPlace(id)) as JsonObject).ssl_ca_cert);
  }

  async #tell(
    { operationId, stepId, epoch }: NamedClaim,
    { sha256, master }: ClusterSnapshotRecord,
    author: OwnedAuthor,
  ): Promise<void> {
    const read = `${operationId} ${stepId} ${epoch} ${sha256}`;
    if (this.#told.has(read)) return;
    await this.trail.add({ ...author, detail: { ...author.detail, master, sha256 }, code: null });
    this.#told.add(read);
    for (const oldest of this.#told) if (this.#told.size > MOST_TOLD) this.#told.delete(oldest);
  }
}

/** More than are ever read at once. */
const MOST_TOLD = 1_000;
