import { paramsAs } from '@windlass/driver-kit';
import type { HookContext, NamedSnapshot, RequestedInstance } from '@windlass/mgmt-driver';

/** What a request to heal the only master says of the snapshot that it is made again of, at the top of its `additionalParams`. */
export interface SnapshotParams {
  /** Its id or its SHA-256, as they are listed; accepted requests have its SHA-256. The newest unless given. */
  snapshot?: string;
}

/** SHA-256 of the archive that an accepted request names. */
export const namedSnapshot = ({ requestParams }: HookContext): string | undefined =>
  paramsAs<SnapshotParams>(requestParams).snapshot;

/** Of the cluster as it is registered, that of the name. */
export const snapshotCalled = (name: string, { snapshots = [] }: RequestedInstance): NamedSnapshot | undefined =>
  snapshots.find(({ id, sha256 }) => id === name || sha256 === name);
