import type { StepRun } from '@windlass/saga';

/** The claim on whose behalf something is asked; a StepRun is one. */
export type ClaimOf = Pick<StepRun, 'operationId' | 'stepId' | 'epoch'>;

/**
 * The VIM registry as steps may use it: the Kubernetes cluster of the claim's own VNF instance, whose id and project the registry knows.
 * ClaimVimClient of libs/messaging fulfils it, and FakeVims in tests.
 */
export interface VimRegistry {
  /**
   * Enters the cluster; `auth_url` is that of its API server, `ssl_ca_cert` PEM.
   * @throws RequestError 400 `vim.unreachable` while the cluster does not answer, 409 for a name that is taken
   */
  register(
    claim: ClaimOf,
    cluster: {
      name: string;
      description: string;
      auth_url: string;
      auth_cred: { bearer_token: string; ssl_ca_cert: string };
    },
  ): Promise<{ id: string }>;
  /** The cluster, if there is one, and the ids of VNF instances that use it as their VIM. */
  show(claim: ClaimOf): Promise<{ vim?: { id: string; name: string; auth_url: string }; vnfInstanceIds: string[] }>;
  /** One that is not there is gone. @throws RequestError 409 while something uses it */
  remove(claim: ClaimOf): Promise<void>;
  /**
   * Announces a snapshot of the instance's control plane, or brings a part of the one that was announced: 512 KiB each but the last, in their order.
   * @returns whether parts are awaited, it is kept, or it is refused by the limits: how many are kept of an instance, and the bytes of one
   */
  keepSnapshot(
    claim: ClaimOf,
    archive: ControlPlaneArchive,
    part?: { number: number; bytes: Uint8Array },
  ): Promise<SnapshotState>;
  /**
   * A part of a snapshot of the instance's cluster as it is registered, 512 KiB each but the last: of the newest, unless its SHA-256 is given. In a
   * heal alone.
   * @throws RequestError 404 `snapshot.none`
   */
  readSnapshot(claim: ClaimOf, part: { number: number; sha256?: string }): Promise<KeptSnapshot & { bytes: Buffer }>;
}

/** An archive of a control plane: the master's address that it is of, its bytes, and their SHA-256 in hex. */
export interface ControlPlaneArchive {
  master: string;
  size: number;
  sha256: string;
  /** SHA-256 of the cluster's CA certificate, hex, where the cluster can be made of it again. */
  ca?: string;
}

/** An archive that is kept; `takenAt` as ISO 8601 has it. */
export interface KeptSnapshot {
  master: string;
  size: number;
  sha256: string;
  takenAt: string;
}

/** How it stands with a snapshot, and the limits. */
export interface SnapshotState {
  state: 'awaited' | 'kept' | 'refused';
  kept: number;
  mostBytes: number;
}
