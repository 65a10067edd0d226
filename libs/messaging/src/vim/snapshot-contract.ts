import { shape, type OfMembers } from '@windlass/foundation';
import type { ClaimIdentity } from '../enrolment/claim-proof.js';
import { sealedBoxSchema } from '../sealing/sealed-box.js';
import { vimClaimContract } from './vim-claim-contracts.js';

const whole = shape.integer({ minimum: 0 });
const digest = shape.text({ pattern: '^[0-9a-f]{64}$' });

const brought = {
  /** Of the archive, hex. */
  sha256: digest,
  /** Its bytes. */
  size: shape.integer({ minimum: 1, maximum: 2 ** 31 - 1 }),
  /** Address of the master that it is of. */
  master: shape.text({ minLength: 1, maxLength: 255 }),
  /** SHA-256 of the cluster's CA certificate, hex; only where the archive has all that the cluster can be recreated from. */
  ca: shape.optional(digest),
  /** One part, in its order: 512 KiB each but the last; sealed to the registry's key. */
  part: shape.optional(shape.closed({ number: whole, sealed: sealedBoxSchema })),
};

/** An archive of the control plane of the claim's cluster, and a part of it; a request without a part announces the archive. */
export type SnapshotRequest = OfMembers<typeof brought>;

const standing = {
  state: shape.oneOf(['awaited', 'kept', 'refused']),
  /** How many snapshots of each VNF instance are kept; 0: none. */
  kept: whole,
  /** Bytes that a snapshot may have. */
  mostBytes: whole,
};

/** Whether parts are awaited, the snapshot is kept, or the limits refuse it; and the limits. */
export type SnapshotReply = OfMembers<typeof standing>;

/**
 * Keeps a snapshot of the control plane of the claim's VNF instance: announced first, then brought in parts. The snapshot is kept when the last part
 * has come, and size and SHA-256 are right. A snapshot that was kept for the step before is answered as kept.
 */
export const keepSnapshotContract = vimClaimContract({
  verb: 'keep-snapshot',
  title: 'A snapshot of the control plane of the claim’s cluster: announced, or a part of it',
  request: brought,
  reply: { title: 'What is awaited, and what is kept of each VNF instance at most', members: standing },
});

/** Binds a sealed part to the claim that sent it, to its archive and to its place there. */
export const snapshotPartAad = (
  { operationId, stepId, epoch }: Pick<ClaimIdentity, 'operationId' | 'stepId' | 'epoch'>,
  sha256: string,
  number: number,
): string => `windlass vim-claim keep-snapshot ${operationId} ${stepId} ${epoch} ${sha256} ${number}`;

const askedPart = {
  /** The number of the part, from 0. */
  number: shape.integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
  /** SHA-256 of the archive, as the first answer has it; without it, the newest archive that the cluster can be recreated from. */
  sha256: shape.optional(digest),
};

/** A part of a snapshot of the control plane of the claim's cluster, 512 KiB each but the last. */
export type SnapshotPartRequest = OfMembers<typeof askedPart>;

const toldPart = {
  /** Of the archive, hex. */
  sha256: digest,
  /** Its bytes. */
  size: shape.integer({ minimum: 1 }),
  /** Address of the master that it is of. */
  master: shape.text(),
  takenAt: shape.text({ format: 'date-time' }),
  /** The part, sealed to the key that the claim was sealed to. */
  sealed: sealedBoxSchema,
};

/** A part, and the archive that the part is of. */
export type SnapshotPartReply = OfMembers<typeof toldPart>;

/**
 * Reads a snapshot of the control plane of the claim's VNF instance back. Only steps of `fetch-snapshot` in a heal may read, and only snapshots of the
 * cluster as it is now: with the CA of the registered VIM. The audit trail gets an entry for each archive whose first part is read.
 */
export const readSnapshotContract = vimClaimContract({
  verb: 'read-snapshot',
  title: 'A part of a snapshot of the control plane of the claim’s cluster',
  request: askedPart,
  reply: { title: 'The part, sealed to the claim’s key, and the archive that it is of', members: toldPart },
});

/** Binds a part that is read to the reader's claim, to its archive and to its place there. */
export const readPartAad = (
  { operationId, stepId, epoch }: Pick<ClaimIdentity, 'operationId' | 'stepId' | 'epoch'>,
  sha256: string,
  number: number,
): string => `windlass vim-claim read-snapshot ${operationId} ${stepId} ${epoch} ${sha256} ${number}`;
