import type { PackageFile } from '@windlass/mgmt-driver';
import type { ExaminedPackage, PackageErrorCode, TrustedSigners } from '@windlass/vnf-package';

/** What reading a package comes to: all of it is plain data. */
export interface ReadPackage extends ExaminedPackage {
  files: PackageFile[];
}

/** What a thread that reads packages is told. */
export type ToThread =
  | { kind: 'read'; size: number; signers?: TrustedSigners }
  /** The bytes that it asked for. */
  | { kind: 'bytes'; id: number; bytes: Uint8Array };

/** What it says. */
export type FromThread =
  | { kind: 'want'; id: number; offset: number; length: number }
  /** The archive's directory is read: so many bytes its members have. */
  | { kind: 'listed'; bytes: number }
  | { kind: 'read'; read: ReadPackage }
  | { kind: 'refused'; code: PackageErrorCode; reason: string; member?: string }
  /** A defect of ours. */
  | { kind: 'broken'; reason: string };
