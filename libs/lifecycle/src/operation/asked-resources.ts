import type { InstantiatedVnfInfo, ResourceDefinition, ResourceHandle } from '@windlass/sol003';
import type { Flavour } from '@windlass/vnf-package';
import { derivedId, type SagaContext } from './operation-saga.js';

/** A resource that a grant is asked for, before it has an id of its own in the request. */
export type AskedResource = Omit<ResourceDefinition, 'id'>;

/** What an operation asks to add, to take away and to change. */
export interface AskedResources {
  add?: AskedResource[];
  remove?: AskedResource[];
  update?: AskedResource[];
}

/** Resources as they are asked for, with ids of their own, which are the same however often they are made. */
export const definitions = (operationId: string, what: string, asked: readonly AskedResource[] = []): ResourceDefinition[] =>
  asked.map((resource, index) => ({ id: derivedId(operationId, `grant ${what} ${index}`), ...resource }));

/** The subject of a grant request: an operation that has looked at nothing but the record yet. */
export type GrantSubject = Pick<SagaContext, 'opOcc' | 'instance' | 'package' | 'flavourId'>;

/** The resources that an operation asks an NFVO for. Computed from the record alone, so that each computation gives the same. */
export type ResourcesOf = (subject: GrantSubject) => AskedResources;

/** For an operation that changes no use of resources, and is granted all the same. */
export const asksNothing: ResourcesOf = () => ({});

/** The resources of so many instances of each VDU: servers, their volumes and their ports. */
export const instancesOf = (flavour: Flavour, counts: Readonly<Record<string, number>>): AskedResource[] =>
  flavour.vdus.flatMap(({ id: vduId, storageIds }) => {
    const ports = flavour.cps.filter((cp) => cp.vduId === vduId);
    const one = (): AskedResource[] => [
      { type: 'COMPUTE', vduId, resourceTemplateId: vduId },
      ...storageIds.map((id): AskedResource => ({ type: 'STORAGE', vduId, resourceTemplateId: id })),
      ...ports.map(({ id }): AskedResource => ({ type: 'LINKPORT', vduId, resourceTemplateId: id })),
    ];
    return Array.from({ length: counts[vduId] ?? 0 }, one).flat();
  });

/**
 * The resources that a VNF has once, whatever its size: its own networks, and ports that belong to no VM. @param managed virtual links that are
 * managed outside the VNF
 */
export const onceOf = ({ virtualLinks, cps, vdus }: Flavour, managed: readonly string[]): AskedResource[] => [
  ...virtualLinks
    .filter(({ id }) => !managed.includes(id))
    .map(({ id }): AskedResource => ({ type: 'VL', resourceTemplateId: id })),
  ...cps
    .filter(({ vduId }) => !vdus.some(({ id }) => id === vduId))
    .map(({ id }): AskedResource => ({ type: 'LINKPORT', resourceTemplateId: id })),
];

/** The servers of VNFCs that are there, and their volumes where those go with them. */
export function heldBy(
  info: InstantiatedVnfInfo,
  vnfcs: NonNullable<InstantiatedVnfInfo['vnfcResourceInfo']>,
  { volumes = true }: { volumes?: boolean } = {},
): AskedResource[] {
  return vnfcs.flatMap(({ vduId, computeResource, storageResourceIds = [] }) => {
    const storages = volumes ? (info.virtualStorageResourceInfo ?? []).filter(({ id }) => storageResourceIds.includes(id)) : [];
    return [
      { type: 'COMPUTE' as const, vduId, resourceTemplateId: vduId, resource: handle(computeResource) },
      ...storages.map(({ virtualStorageDescId, storageResource }) => ({
        type: 'STORAGE' as const,
        vduId,
        resourceTemplateId: virtualStorageDescId,
        resource: handle(storageResource),
      })),
    ];
  });
}

/** The ports of VNFCs that are there, as far as the VIM's id of each is known. */
export function portsOf(info: InstantiatedVnfInfo, vnfcs: NonNullable<InstantiatedVnfInfo['vnfcResourceInfo']>): AskedResource[] {
  const inner = [...(info.vnfVirtualLinkResourceInfo ?? []), ...(info.extManagedVirtualLinkInfo ?? [])];
  const ports = new Map([
    ...inner.flatMap(({ vnfLinkPorts = [] }) => vnfLinkPorts.map((port) => [port.id, port.resourceHandle] as const)),
    ...(info.extVirtualLinkInfo ?? []).flatMap(({ extLinkPorts = [] }) =>
      extLinkPorts.map((port) => [port.id, port.resourceHandle] as const),
    ),
  ]);
  const external = new Map((info.extCpInfo ?? []).map(({ id, extLinkPortId }) => [id, extLinkPortId]));
  return vnfcs.flatMap(({ vduId, vnfcCpInfo = [] }) =>
    vnfcCpInfo.flatMap(({ cpdId, vnfLinkPortId, vnfExtCpId }): AskedResource[] => {
      const port = ports.get(vnfLinkPortId ?? external.get(vnfExtCpId ?? '') ?? '');
      return port === undefined ? [] : [{ type: 'LINKPORT', vduId, resourceTemplateId: cpdId, resource: handle(port) }];
    }),
  );
}

/** All that a VNF consists of, but for networks that somebody else manages. */
export function allOf(info: InstantiatedVnfInfo): AskedResource[] {
  const vnfcs = info.vnfcResourceInfo ?? [];
  const managed = (info.extManagedVirtualLinkInfo ?? []).map(({ vnfVirtualLinkDescId }) => vnfVirtualLinkDescId);
  const networks = (info.vnfVirtualLinkResourceInfo ?? []).filter((link) => !managed.includes(link.vnfVirtualLinkDescId));
  return [
    ...heldBy(info, vnfcs),
    ...portsOf(info, vnfcs),
    ...networks.map(({ vnfVirtualLinkDescId, networkResource }): AskedResource => ({
      type: 'VL',
      resourceTemplateId: vnfVirtualLinkDescId,
      resource: handle(networkResource),
    })),
  ];
}

/** Where a resource lies, without what a reader of an instance is told beside it. */
const handle = ({ vimConnectionId, resourceProviderId, resourceId, vimLevelResourceType }: ResourceHandle): ResourceHandle => ({
  ...(vimConnectionId === undefined ? {} : { vimConnectionId }),
  ...(resourceProviderId === undefined ? {} : { resourceProviderId }),
  resourceId,
  ...(vimLevelResourceType === undefined ? {} : { vimLevelResourceType }),
});
