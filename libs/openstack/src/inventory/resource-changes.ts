import { isDeepStrictEqual } from 'node:util';
import type { InstantiatedVnfInfo, ResourceHandle, VirtualLinkResourceInfo, VnfcResourceInfo } from './vnf-info-types.js';

export type ChangeType = 'ADDED' | 'REMOVED' | 'MODIFIED';

/** SOL003 5.5.3.13 */
export interface AffectedVnfc {
  id: string;
  vduId: string;
  changeType: ChangeType;
  computeResource: ResourceHandle;
  affectedVnfcCpIds?: string[];
  addedStorageResourceIds?: string[];
  removedStorageResourceIds?: string[];
}

/** SOL003 5.5.3.14 */
export interface AffectedVirtualLink {
  id: string;
  vnfVirtualLinkDescId: string;
  changeType: ChangeType | 'LINK_PORT_ADDED' | 'LINK_PORT_REMOVED';
  networkResource: ResourceHandle;
}

/** SOL003 5.5.3.15 */
export interface AffectedVirtualStorage {
  id: string;
  virtualStorageDescId: string;
  changeType: ChangeType;
  storageResource: ResourceHandle;
}

/** `resourceChanges` of an operation occurrence. */
export interface ResourceChanges {
  affectedVnfcs: AffectedVnfc[];
  affectedVirtualLinks: AffectedVirtualLink[];
  affectedVirtualStorages: AffectedVirtualStorage[];
}

type Compared = Pick<InstantiatedVnfInfo, 'vnfcResourceInfo' | 'vnfVirtualLinkResourceInfo' | 'virtualStorageResourceInfo'>;

/**
 * What an operation did to the resources: the difference between the instance before and after. No `before` is an instantiation,
 * no `after` a termination. Entries that are the same in both, but for their metadata, are left out.
 */
export function resourceChanges(before: Compared | undefined, after: Compared | undefined): ResourceChanges {
  return {
    affectedVnfcs: changes(before?.vnfcResourceInfo, after?.vnfcResourceInfo, vnfcCore).map(affectedVnfc),
    affectedVirtualLinks: changes(before?.vnfVirtualLinkResourceInfo, after?.vnfVirtualLinkResourceInfo, linkCore).map(
      affectedLink,
    ),
    affectedVirtualStorages: changes(before?.virtualStorageResourceInfo, after?.virtualStorageResourceInfo, (it) => it).map(
      ({ type, now }) => ({
        id: now.id,
        virtualStorageDescId: now.virtualStorageDescId,
        changeType: type,
        storageResource: now.storageResource,
      }),
    ),
  };
}

interface Change<T> {
  type: ChangeType;
  was: T | undefined;
  /** As it is after, or was where it is gone. */
  now: T;
}

function changes<T extends { id: string }>(
  before: readonly T[] | undefined = [],
  after: readonly T[] | undefined = [],
  core: (it: T) => unknown,
): Change<T>[] {
  const old = new Map(before.map((it) => [it.id, it]));
  const kept = new Set(after.map((it) => it.id));
  const there = after.flatMap((now): Change<T>[] => {
    const was = old.get(now.id);
    if (was === undefined) return [{ type: 'ADDED', was, now }];
    return isDeepStrictEqual(core(was), core(now)) ? [] : [{ type: 'MODIFIED', was, now }];
  });
  const gone = before.filter((it) => !kept.has(it.id)).map((it): Change<T> => ({ type: 'REMOVED', was: it, now: it }));
  return [...there, ...gone];
}

const vnfcCore = ({ computeResource, storageResourceIds, vnfcCpInfo }: VnfcResourceInfo) => ({
  computeResource,
  storageResourceIds,
  vnfcCpInfo,
});

const linkCore = ({ networkResource, vnfLinkPorts }: VirtualLinkResourceInfo) => ({
  networkResource,
  ports: vnfLinkPorts.map((port) => port.resourceHandle.resourceId).sort(),
});

function affectedVnfc({ type, was, now }: Change<VnfcResourceInfo>): AffectedVnfc {
  const old = was?.storageResourceIds ?? [];
  const added = type === 'REMOVED' ? [] : type === 'ADDED' ? now.storageResourceIds : missing(now.storageResourceIds, old);
  const removed = type === 'REMOVED' ? now.storageResourceIds : type === 'ADDED' ? [] : missing(old, now.storageResourceIds);
  const cps = now.vnfcCpInfo.map((cp) => cp.id);
  return {
    id: now.id,
    vduId: now.vduId,
    changeType: type,
    computeResource: now.computeResource,
    ...(cps.length === 0 ? {} : { affectedVnfcCpIds: cps }),
    ...(added.length === 0 ? {} : { addedStorageResourceIds: added }),
    ...(removed.length === 0 ? {} : { removedStorageResourceIds: removed }),
  };
}

function affectedLink({ type, was, now }: Change<VirtualLinkResourceInfo>): AffectedVirtualLink {
  const { id, vnfVirtualLinkDescId, networkResource } = now;
  return { id, vnfVirtualLinkDescId, changeType: type === 'MODIFIED' ? portChange(was, now) : type, networkResource };
}

/** A link that only gained or only lost ports is called so. */
function portChange(was: VirtualLinkResourceInfo | undefined, now: VirtualLinkResourceInfo): AffectedVirtualLink['changeType'] {
  if (was === undefined || !isDeepStrictEqual(was.networkResource, now.networkResource)) return 'MODIFIED';
  const ids = (link: VirtualLinkResourceInfo) => link.vnfLinkPorts.map((port) => port.resourceHandle.resourceId);
  const added = missing(ids(now), ids(was)).length;
  const removed = missing(ids(was), ids(now)).length;
  if (removed === 0) return 'LINK_PORT_ADDED';
  return added === 0 ? 'LINK_PORT_REMOVED' : 'MODIFIED';
}

const missing = (of: readonly string[], from: readonly string[]): string[] => of.filter((it) => !from.includes(it));
