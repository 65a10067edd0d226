import { paramsAs } from '@windlass/driver-kit';
import type { HookContext, NamedSnapshot, RequestedInstance } from '@windlass/mgmt-driver';

/** What a request to heal the only master says of the snapshot to restore, at the top of its `additionalParams`. */
export interface SnapshotParams {
  /** Its id or its SHA-256, as they are listed; accepted requests have its SHA-256. The newest unless given. */
  snapshot?: string;
}

/** SHA-256 of the archive that an accepted request names. */
export const namedSnapshot = ({ requestParams }: HookContext): string | undefined =>
  paramsAs<SnapshotParams>(requestParams).snapshot;

/** The instance's snapshot with this id or SHA-256. */
export const snapshotCalled = (name: string, { snapshots = [] }: RequestedInstance): NamedSnapshot | undefined =>
  snapshots.find(({ id, sha256 }) => id === name || sha256 === name);
