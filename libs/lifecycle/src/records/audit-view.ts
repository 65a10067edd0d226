import type { InstantiatedState, VimChoice, VnfInstanceRecord } from './records.js';
import { isCluster } from './on-kubernetes.js';
import { REPLICATED } from '@windlass/vnf-package';
import type { ObjectRef } from './cluster-objects.js';
import type { SharedImage } from './shared-image.js';
import type { WaitingInternal } from './audit-report.js';

/** What the database says of one instance's things in a VIM. */
export interface ExpectedVnf {
  vnfInstanceId: string;
  tenant: string;
  instantiationState: 'NOT_INSTANTIATED' | 'INSTANTIATED';
  /** Where its things lie, or what was left lies. */
  vim: VimChoice | null;
  stack: { name: string; id?: string } | null;
  images: string[];
  /** Servers, ports and volumes as published. */
  resources: { type: ResourceType; id: string; name: string }[];
  /** Its objects on a Kubernetes cluster. */
  objects?: ExpectedObject[];
  /** It is what a failed operation left: it may be there or not. */
  leftover: boolean;
}

/** An object of the record, with as many pods as were read of it where it makes VNFCs. */
export interface ExpectedObject extends ObjectRef {
  pods?: number;
}

export type ResourceType = 'server' | 'port' | 'volume';

/** A look at the database, in one transaction. */
export interface AuditView {
  /** PostgreSQL's clock, ISO 8601. */
  at: string;
  vnfs: ExpectedVnf[];
  sharedImages: SharedImage[];
  /** Instances that an operation in flight, a pending clean-up or a refresh works on: nothing is said of their things. */
  busy: string[];
  /** Clean-ups and refreshes that failed and wait, or were given up. */
  waiting: (WaitingInternal & { tenant: string })[];
}

/** What an instance's record says of its things: those that are published, or what a failed operation left. */
export function expectedVnf(
  record: Pick<VnfInstanceRecord, 'id' | 'tenant' | 'instantiationState' | 'instantiated' | 'leftovers'>,
): ExpectedVnf {
  const { id, tenant, instantiationState, instantiated, leftovers } = record;
  const held = instantiated ?? leftovers;
  return {
    vnfInstanceId: id,
    tenant,
    instantiationState,
    vim: held?.vim ?? null,
    stack: isCluster(held?.vim) ? null : (held?.stack ?? null),
    images: held?.images ?? [],
    resources: instantiated === null || isCluster(instantiated.vim) ? [] : resourcesOf(instantiated),
    ...(held?.objects === undefined ? {} : { objects: held.objects.map((ref) => ({ ...ref, ...podsOf(ref, instantiated) })) }),
    leftover: instantiated === null && leftovers !== null,
  };
}

function podsOf({ kind, namespace, name }: ObjectRef, instantiated: InstantiatedState | null): Pick<ExpectedObject, 'pods'> {
  if (instantiated === null || !REPLICATED.has(kind)) return {};
  const found = (instantiated.info.vnfcResourceInfo ?? []).filter(
    ({ computeResource, metadata = {} }) =>
      computeResource.vimLevelResourceType === kind && metadata.namespace === namespace && metadata.workload === name,
  );
  return { pods: found.length };
}

function resourcesOf({ vnfcs, sharedCps, info }: InstantiatedState): ExpectedVnf['resources'] {
  const cps = [...vnfcs.flatMap((vnfc) => vnfc.cps.map(({ cpdId, resourceId }) => ({ name: cpdId, resourceId }))), ...sharedCps];
  const all: ExpectedVnf['resources'] = [
    ...vnfcs.map(({ resourceId, name }) => ({ type: 'server' as const, id: resourceId, name })),
    ...cps.map(({ resourceId, name }) => ({ type: 'port' as const, id: resourceId, name })),
    ...(info.virtualStorageResourceInfo ?? []).map(({ storageResource, virtualStorageDescId }) => ({
      type: 'volume' as const,
      id: storageResource.resourceId,
      name: virtualStorageDescId,
    })),
  ];
  return all.filter(({ id }) => id !== '');
}
