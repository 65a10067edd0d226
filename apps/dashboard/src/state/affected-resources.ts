import type { OpOcc, Step } from '../api/types.js';

/** A resource that an operation has made or changed so far. */
export interface AffectedResource {
  id: string;
  /** A machine as the operation's steps call it; else as the VNFD does. */
  name: string;
  kind: 'VM' | 'network' | 'volume';
  address: string;
  /** Its id at the VIM. */
  resource: string;
  change: string;
}

/** What an operation has made or changed so far, by its record (SOL003 5.5.2.13); its steps know what machines are called. */
export function affectedResources(
  { resourceChanges }: Pick<OpOcc, 'resourceChanges'>,
  steps: readonly Pick<Step, 'machines'>[],
): AffectedResource[] {
  const known = new Map(steps.flatMap(({ machines }) => machines).map((machine) => [machine.vnfcId, machine]));
  const { affectedVnfcs = [], affectedVirtualLinks = [], affectedVirtualStorages = [] } = resourceChanges ?? {};
  return [
    ...affectedVnfcs.map(({ id, vduId, changeType, computeResource }) => ({
      id,
      name: known.get(id)?.name ?? vduId,
      kind: 'VM' as const,
      address: known.get(id)?.address ?? '',
      resource: computeResource.resourceId,
      change: changeType.toLowerCase(),
    })),
    ...affectedVirtualLinks.map(({ id, virtualLinkDescId, changeType, networkResource }) => ({
      id,
      name: virtualLinkDescId ?? id,
      kind: 'network' as const,
      address: '',
      resource: networkResource.resourceId,
      change: changeType.replaceAll('_', ' ').toLowerCase(),
    })),
    ...affectedVirtualStorages.map(({ id, virtualStorageDescId, changeType, storageResource }) => ({
      id,
      name: virtualStorageDescId,
      kind: 'volume' as const,
      address: '',
      resource: storageResource.resourceId,
      change: changeType.toLowerCase(),
    })),
  ];
}

const KINDS = ['VM', 'network', 'volume'] as const;

/** How many of each kind a rollback deletes, by the record of what was made: `3 VMs and 1 network`. Undefined where nothing is new. */
export function deletedText(occurrence: Pick<OpOcc, 'resourceChanges'>): string | undefined {
  const added = affectedResources(occurrence, []).filter(({ change }) => change === 'added');
  const counts = KINDS.map((kind) => [added.filter((each) => each.kind === kind).length, kind] as const);
  const parts = counts.flatMap(([count, kind]) => (count === 0 ? [] : [`${count} ${kind}${count === 1 ? '' : 's'}`]));
  const last = parts.pop();
  return last === undefined || parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}
