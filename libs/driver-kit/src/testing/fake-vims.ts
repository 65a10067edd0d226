import { createHash } from 'node:crypto';
import { RequestError } from '@windlass/foundation';
import { clusterVimId } from '@windlass/mgmt-driver';
import type { ClaimOf, ControlPlaneArchive, KeptSnapshot, SnapshotState, VimRegistry } from '../vim-registry.js';

/** Bytes of a part. */
const PART = 512 * 1024;

type Cluster = Parameters<VimRegistry['register']>[1];
type Vim = Cluster & { id: string; type: 'kubernetes' };

/** A registry in memory, with the rules of apps/vim-registry: an instance has one cluster, and no two clusters have one name. */
export class FakeVims implements VimRegistry {
  readonly vims = new Map<string, Vim>();
  readonly usersOf = new Map<string, string[]>();
  /** Registrations that the cluster does not answer to. */
  unreachable = 0;
  /** Archives of control planes that are kept, the newest last. */
  readonly snapshots: Buffer[] = [];
  readonly snapshotLimits = { kept: 3, mostBytes: 64 * 1024 * 1024 };
  readonly #keptFor = new Set<string>();
  #arriving: { sha256: string; parts: Uint8Array[] } | undefined;

  /** @param instanceOf the VNF instance of a claim's operation: the registry has it from the journal */
  constructor(private readonly instanceOf: (operationId: string) => string) {}

  register(claim: ClaimOf, cluster: Cluster): Promise<Vim> {
    if (this.unreachable-- > 0) return Promise.reject(new RequestError(400, 'vim.unreachable', 'its API does not answer'));
    const id = this.#idOf(claim);
    const there = this.vims.get(id);
    if (there !== undefined) return Promise.resolve(there);
    if ([...this.vims.values()].some(({ name }) => name === cluster.name))
      return Promise.reject(new RequestError(409, 'vim.name-taken', cluster.name));
    const vim = { ...cluster, id, type: 'kubernetes' } as const;
    this.vims.set(id, vim);
    return Promise.resolve(vim);
  }

  show(claim: ClaimOf): Promise<{ vim?: Vim; vnfInstanceIds: string[] }> {
    const id = this.#idOf(claim);
    const vim = this.vims.get(id);
    return Promise.resolve({ ...(vim === undefined ? {} : { vim }), vnfInstanceIds: this.usersOf.get(id) ?? [] });
  }

  remove(claim: ClaimOf): Promise<void> {
    const id = this.#idOf(claim);
    const [user] = this.usersOf.get(id) ?? [];
    if (user !== undefined) return Promise.reject(new RequestError(409, 'vim.in-use', user));
    this.vims.delete(id);
    return Promise.resolve();
  }

  keepSnapshot(
    { operationId, stepId }: ClaimOf,
    { sha256, size }: ControlPlaneArchive,
    part?: { number: number; bytes: Uint8Array },
  ): Promise<SnapshotState> {
    const answer = (state: SnapshotState['state']): Promise<SnapshotState> => Promise.resolve({ state, ...this.snapshotLimits });
    const step = `${operationId} ${stepId} ${sha256}`;
    if (this.#keptFor.has(step)) return answer('kept');
    if (this.snapshotLimits.kept === 0 || size > this.snapshotLimits.mostBytes) return answer('refused');
    if (part === undefined) {
      this.#arriving = { sha256, parts: [] };
      return answer('awaited');
    }
    if (this.#arriving?.sha256 !== sha256) return Promise.reject(new RequestError(409, 'snapshot.not-announced', sha256));
    this.#arriving.parts[part.number] = part.bytes;
    const whole = Buffer.concat(this.#arriving.parts);
    if (whole.length < size) return answer('awaited');
    if (createHash('sha256').update(whole).digest('hex') !== sha256)
      return Promise.reject(new RequestError(400, 'snapshot.invalid', 'its SHA-256 is another one'));
    this.snapshots.push(whole);
    this.#keptFor.add(step);
    return answer('kept');
  }

  /** Whether a snapshot is kept that was taken in that operation. */
  keptIn(operationId: string): boolean {
    return [...this.#keptFor].some((step) => step.startsWith(`${operationId} `));
  }

  readSnapshot(
    _claim: ClaimOf,
    { number, sha256 }: { number: number; sha256?: string },
  ): Promise<KeptSnapshot & { bytes: Buffer }> {
    const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
    const found = this.snapshots.findLast((content) => sha256 === undefined || digest(content) === sha256);
    if (found === undefined) return Promise.reject(new RequestError(404, 'snapshot.none', 'no snapshot of the cluster is kept'));
    const bytes = found.subarray(number * PART, (number + 1) * PART);
    return Promise.resolve({
      sha256: digest(found),
      size: found.length,
      master: '10.10.0.24',
      takenAt: '2026-11-26T10:00:00.000Z',
      bytes,
    });
  }

  #idOf({ operationId }: ClaimOf): string {
    return clusterVimId(this.instanceOf(operationId));
  }
}
