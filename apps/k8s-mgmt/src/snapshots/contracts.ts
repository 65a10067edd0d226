import type { MastersStepInput } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import type { NameNodesOutput, Noted } from '../cluster/contracts.js';
import type { Nameless } from '../cluster/node-names.js';
import type { NodePackages, PackageSources } from '../cluster/node-packages.js';
import type { NodeStepInput } from '../cluster/node-input.js';

const declared = (name: string) => ({ service: 'k8s-mgmt', name, version: 1 });

export interface FetchSnapshotInput extends NodeStepInput {
  /** All of the cluster as it is to be, in the plan's order. */
  nodes: Nameless[];
  sources: PackageSources;
  /** Of the archive that the request names, hex; the newest unless given. */
  sha256?: string;
}

/** What the snapshot says that the cluster was: names of its nodes, what they have installed, and which archive it is. */
export interface FetchSnapshotOutput extends NameNodesOutput, NodePackages, Noted {
  /** Of the archive, hex. */
  sha256: string;
}

export interface RestoreControlPlaneInput extends NodeStepInput {
  /** Of the archive that lies on the machine. */
  sha256: string;
}

/** Keeps a snapshot of the control plane, of any master that answers; that there is none is noted, with why, and stops nothing. */
export const keepSnapshot = defineAction<MastersStepInput, Noted | undefined>(declared('keep-snapshot'));

/** Brings the newest snapshot of the cluster, or the named one, to the machine that is to be its only master again. */
export const fetchSnapshot = defineAction<FetchSnapshotInput, FetchSnapshotOutput>(declared('fetch-snapshot'));

/** Makes the cluster's control plane of its snapshot, on a prepared machine with the address that it had. */
export const restoreControlPlane = defineAction<RestoreControlPlaneInput, Noted | undefined>(declared('restore-control-plane'));

/** Has a node that stayed be in the cluster again, where it came after the snapshot. */
export const reconnectNode = defineAction<NodeStepInput, Noted | undefined>(declared('reconnect-node'));

/** Those that bring the only master back. */
export const restorationActions = [fetchSnapshot, restoreControlPlane, reconnectNode];
