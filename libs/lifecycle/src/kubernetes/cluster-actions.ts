import type { Jsonable } from '@windlass/foundation';
import type { NodePortService, Vnfc } from '@windlass/mgmt-driver';
import { defineAction, type ActionContract } from '@windlass/saga';
import type { InstantiatedVnfInfo } from '@windlass/sol003';
import type { Flavour } from '@windlass/vnf-package';
import type { ObjectRef } from '../records/cluster-objects.js';
import type { DesiredConnectivity } from '../records/desired-state.js';
import type { AuditVimOutput, InspectStackOutput } from '../stack/infra-actions.js';
import { INFRA_SERVICE } from '../records/services.js';
import type { ClusterAccess } from '../records/vim-access.js';
import type { ScriptFile } from '../stack/user-data-actions.js';

/** An object that a manifest describes. */
export interface PlannedObject extends ObjectRef {
  /** Where in the package it stands. */
  file: string;
  document: number;
  item?: number;
  /** The VDU whose VNFCs its pods are; null for an object that makes no pods. */
  vduId: string | null;
}

/** Where the manifests of a VNF are, and what is put into them. */
export interface ManifestsInput {
  vnfPkgId: string;
  files: ScriptFile[];
  /** Of objects whose manifests name none. */
  namespace: string;
  flavour: Flavour;
  /** How many pods a VDU has, by VDU; one that is not named has what its manifest says. */
  counts: Record<string, number>;
}

/** Whose objects a step works on. */
export interface OnCluster {
  vim: ClusterAccess;
  vnfInstanceId: string;
  /** What the objects of this Windlass are labelled with. */
  deploymentTag: string;
}

/** Declares an action of the infra driver on a Kubernetes cluster. */
const defineClusterAction = <Input extends Jsonable<Input> & OnCluster, Output extends Jsonable<Output> = undefined>(
  name: string,
): ActionContract<Input, Output> =>
  defineAction<Input, Output>({ service: INFRA_SERVICE, name, version: 1, accepts: { type: 'object', required: ['vim'] } });

export interface PlanObjectsInput extends OnCluster {
  manifests: ManifestsInput;
}

export interface PlanObjectsOutput {
  /** In the order in which they are applied. */
  objects: PlannedObject[];
}

/** Reads the manifests, and has the cluster say what it would make of each object. Changes nothing. */
export const planObjectsAction = defineClusterAction<PlanObjectsInput, PlanObjectsOutput>('plan-objects');

export interface ApplyObjectsInput extends PlanObjectsInput {
  objects: ObjectRef[];
  /** Those of them that are applied; absent: all. */
  only?: ObjectRef[];
}

/** Applies the objects in their order. Undo deletes them in reverse. */
export const applyObjectsAction = defineClusterAction<ApplyObjectsInput>('apply-objects');

export interface AwaitObjectsInput extends OnCluster {
  objects: ObjectRef[];
  /** Pods that were replaced, by their uids: an object is ready without them. */
  replaced?: string[];
}

/** Waits until each object is what its kind calls ready. */
export const awaitObjectsAction = defineClusterAction<AwaitObjectsInput>('await-objects');

export interface ReadObjectsInput extends OnCluster {
  objects: ObjectRef[];
  flavour: Flavour;
  request: DesiredConnectivity;
  /** Where the aspects are known to stand; where there are other pods than these levels have, what there is is counted. */
  scaleLevels?: Record<string, number>;
}

export interface ReadObjectsOutput {
  /** Those that are there. */
  objects: ObjectRef[];
  info: InstantiatedVnfInfo;
  vnfcs: Vnfc[];
  /** Its Services of the type NodePort, with the ports that the cluster has given. Absent where an infra driver of an older release has read. */
  nodePorts?: NodePortService[];
}

/** Reads the VNF from its pods. */
export const readObjectsAction = defineClusterAction<ReadObjectsInput, ReadObjectsOutput>('read-objects');

/** An object of which there are as many pods as it says. */
export interface FoundWorkload {
  ref: ObjectRef;
  replicas: number;
}

/** A pod that is a VNFC. */
export interface FoundPod {
  vnfcId: string;
  namespace: string;
  name: string;
  uid: string;
  /** The object of a manifest that it was made for, or that it is. */
  maker: ObjectRef;
}

export interface SurveyObjectsOutput extends ReadObjectsOutput {
  /** Objects of the VNF that are not there, or are somebody else's by now. */
  missing: ObjectRef[];
  workloads: FoundWorkload[];
  pods: FoundPod[];
}

/** Looks at what is there of the VNF before it is changed. */
export const surveyObjectsAction = defineClusterAction<ReadObjectsInput, SurveyObjectsOutput>('survey-objects');

/** How many pods a workload has, and shall have. */
export interface Rescaled {
  ref: ObjectRef;
  from: number;
  to: number;
}

export interface ScaleObjectsInput extends OnCluster {
  workloads: Rescaled[];
}

/** Sets how many pods workloads have, and nothing else of them. Undo sets it back, and waits for the pods. */
export const scaleObjectsAction = defineClusterAction<ScaleObjectsInput>('scale-objects');

export interface ReplacePodsInput extends OnCluster {
  pods: FoundPod[];
}

/** Deletes exactly these pods and waits until they are gone. The pods' controllers make new ones. */
export const replacePodsAction = defineClusterAction<ReplacePodsInput>('replace-pods');

/** As `read-objects`, but that nothing is there any more is no error. */
export const inspectObjectsAction = defineClusterAction<ReadObjectsInput, InspectStackOutput>('inspect-objects');

export interface DeleteObjectsInput extends OnCluster {
  /** In the order in which they were applied. */
  objects: ObjectRef[];
}

/** Deletes the objects in reverse, and what their controllers made and left, and waits until all is gone. */
export const deleteObjectsAction = defineClusterAction<DeleteObjectsInput>('delete-objects');

export interface AuditClusterInput {
  vim: ClusterAccess;
}

/** Lists what carries our labels and is owned by no other object. A cluster that can't be looked at is an answer, no error. */
export const auditClusterAction = defineAction<AuditClusterInput, AuditVimOutput>({
  service: INFRA_SERVICE,
  name: 'audit-cluster',
  version: 1,
  accepts: { type: 'object', required: ['vim'] },
});
