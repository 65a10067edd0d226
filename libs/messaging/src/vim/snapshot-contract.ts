import type { ClaimIdentity } from '../enrolment/claim-proof.js';
import { sealedBoxSchema, type SealedBox } from '../sealing/sealed-box.js';
import { vimClaimContract } from './vim-claim-contracts.js';

/** An archive of the control plane of the claim's cluster, and a part of it; without one it is announced. */
export interface SnapshotRequest {
  /** Of the archive, hex. */
  sha256: string;
  /** Its bytes. */
  size: number;
  /** Address of the master that it is of. */
  master: string;
  /** SHA-256 of the cluster's CA certificate, hex; where all is in the archive that the cluster can be made of again. */
  ca?: string;
  /** 512 KiB each but the last, in their order; sealed to the registry's key. */
  part?: { number: number; sealed: SealedBox };
}

/** Whether parts are awaited, it is kept now, or it is refused by the limits; and the limits. */
export interface SnapshotReply {
  state: 'awaited' | 'kept' | 'refused';
  /** How many are kept of each VNF instance; 0: none. */
  kept: number;
  /** Bytes that one may have. */
  mostBytes: number;
}

const whole = { type: 'integer', minimum: 0 } as const;
const digest = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;

/**
 * Keeps a snapshot of the control plane of the claim's VNF instance: announced first, then brought in parts. It is there when the last has come and
 * size and SHA-256 are right. What was kept for the step already is answered as such.
 */
export const keepSnapshotContract = vimClaimContract<SnapshotRequest, SnapshotReply>({
  verb: 'keep-snapshot',
  title: 'A snapshot of the control plane of the claim’s cluster: announced, or a part of it',
  required: ['sha256', 'size', 'master'],
  properties: {
    sha256: digest,
    size: { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 },
    master: { type: 'string', minLength: 1, maxLength: 255 },
    ca: digest,
    part: {
      type: 'object',
      additionalProperties: false,
      required: ['number', 'sealed'],
      properties: { number: whole, sealed: sealedBoxSchema },
    },
  },
  reply: {
    title: 'What is awaited, and what is kept of each VNF instance at most',
    required: ['state', 'kept', 'mostBytes'],
    properties: { state: { enum: ['awaited', 'kept', 'refused'] }, kept: whole, mostBytes: whole },
  },
});

/** Binds a sealed part to the claim that it comes from, to its archive and to its place there. */
export const snapshotPartAad = (
  { operationId, stepId, epoch }: Pick<ClaimIdentity, 'operationId' | 'stepId' | 'epoch'>,
  sha256: string,
  number: number,
): string => `windlass vim-claim keep-snapshot ${operationId} ${stepId} ${epoch} ${sha256} ${number}`;

/** A part of a snapshot of the control plane of the claim's cluster, 512 KiB each but the last. */
export interface SnapshotPartRequest {
  /** From 0. */
  number: number;
  /** Of the archive whose part it is, as the first answer has it; unless given, of the newest that the cluster can be made of again. */
  sha256?: string;
}

/** A part, and the archive that it is of. */
export interface SnapshotPartReply {
  /** Of the archive, hex. */
  sha256: string;
  /** Its bytes. */
  size: number;
  /** Address of the master that it is of. */
  master: string;
  takenAt: string;
  /** The part, sealed to the key that the claim was sealed to. */
  sealed: SealedBox;
}

/**
 * Reads a snapshot of the control plane of the claim's VNF instance back, in a heal by steps of `fetch-snapshot` alone, and only one of the cluster as it is now: its CA is
 * that of the registered VIM. Each archive that is begun to be read is an entry of the audit trail.
 */
export const readSnapshotContract = vimClaimContract<SnapshotPartRequest, SnapshotPartReply>({
  verb: 'read-snapshot',
  title: 'A part of a snapshot of the control plane of the claim’s cluster',
  required: ['number'],
  properties: { number: { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 }, sha256: digest },
  reply: {
    title: 'The part, sealed to the claim’s key, and the archive that it is of',
    required: ['sha256', 'size', 'master', 'takenAt', 'sealed'],
    properties: {
      sha256: digest,
      size: { type: 'integer', minimum: 1 },
      master: { type: 'string' },
      takenAt: { type: 'string', format: 'date-time' },
      sealed: sealedBoxSchema,
    },
  },
});

/** Binds a part that is read to the claim that it is for, to its archive and to its place there. */
export const readPartAad = (
  { operationId, stepId, epoch }: Pick<ClaimIdentity, 'operationId' | 'stepId' | 'epoch'>,
  sha256: string,
  number: number,
): string => `windlass vim-claim read-snapshot ${operationId} ${stepId} ${epoch} ${sha256} ${number}`;
