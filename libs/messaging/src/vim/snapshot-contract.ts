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
  /** SHA-256 of the cluster's CA certificate, hex; where all is in the archive that the cluster can be made of again. */
  ca: shape.optional(digest),
  /** 512 KiB each but the last, in their order; sealed to the registry's key. */
  part: shape.optional(shape.closed({ number: whole, sealed: sealedBoxSchema })),
};

/** An archive of the control plane of the claim's cluster, and a part of it; without one it is announced. */
export type SnapshotRequest = OfMembers<typeof brought>;

const standing = {
  state: shape.oneOf(['awaited', 'kept', 'refused']),
  /** How many are kept of each VNF instance; 0: none. */
  kept: whole,
  /** Bytes that one may have. */
  mostBytes: whole,
};

/** Whether parts are awaited, it is kept now, or it is refused by the limits; and the limits. */
export type SnapshotReply = OfMembers<typeof standing>;

/**
 * Keeps a snapshot of the control plane of the claim's VNF instance: announced first, then brought in parts. It is there when the last has come and
 * size and SHA-256 are right. What was kept for the step already is answered as such.
 */
export const keepSnapshotContract = vimClaimContract({
  verb: 'keep-snapshot',
  title: 'A snapshot of the control plane of the claim’s cluster: announced, or a part of it',
  request: brought,
  reply: { title: 'What is awaited, and what is kept of each VNF instance at most', members: standing },
});

/** Binds a sealed part to the claim that it comes from, to its archive and to its place there. */
export const snapshotPartAad = (
  { operationId, stepId, epoch }: Pick<ClaimIdentity, 'operationId' | 'stepId' | 'epoch'>,
  sha256: string,
  number: number,
): string => `windlass vim-claim keep-snapshot ${operationId} ${stepId} ${epoch} ${sha256} ${number}`;

const askedPart = {
  /** From 0. */
  number: shape.integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
  /** Of the archive whose part it is, as the first answer has it; unless given, of the newest that the cluster can be made of again. */
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

/** A part, and the archive that it is of. */
export type SnapshotPartReply = OfMembers<typeof toldPart>;

/**
 * Reads a snapshot of the control plane of the claim's VNF instance back, in a heal by steps of `fetch-snapshot` alone, and only one of the cluster as it is now: its CA is
 * that of the registered VIM. Each archive that is begun to be read is an entry of the audit trail.
 */
export const readSnapshotContract = vimClaimContract({
  verb: 'read-snapshot',
  title: 'A part of a snapshot of the control plane of the claim’s cluster',
  request: askedPart,
  reply: { title: 'The part, sealed to the claim’s key, and the archive that it is of', members: toldPart },
});

/** Binds a part that is read to the claim that it is for, to its archive and to its place there. */
export const readPartAad = (
  { operationId, stepId, epoch }: Pick<ClaimIdentity, 'operationId' | 'stepId' | 'epoch'>,
  sha256: string,
  number: number,
): string => `windlass vim-claim read-snapshot ${operationId} ${stepId} ${epoch} ${sha256} ${number}`;
