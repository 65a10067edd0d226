import { isIPv6 } from 'node:net';
import { NETWORK, PORT, SERVER, stackPath, VOLUME, type PortItem } from '@windlass/openstack';
import type {
  CpProtocolInfo,
  ExtLinkPortInfo,
  InstantiatedVnfInfo,
  ResourceHandle,
  VirtualStorageResourceInfo,
  VnfcCpInfo,
  VnfcInfo,
  VnfcResourceInfo,
  VnfExtCpInfo,
} from '@windlass/sol003';
import { connectCps, linksOf, type ConnectedCp, type Links } from './links.js';
import { groupedBy } from './parts-index.js';
import { scaleStatusOfCounts } from './scale-status.js';
import { stableId } from './stable-id.js';
import { vnfcsOf, type Vnfc } from './vnfcs.js';
import type { VnfInfoInput } from './vnf-info-input.js';
import { describedBy } from './vnf-model.js';

/** `instantiatedVnfInfo`, as far as it comes from the VIM: these lists are always there, empty ones too. */
export type InfoOfStack = InstantiatedVnfInfo &
  Required<
    Pick<
      InstantiatedVnfInfo,
      | 'scaleStatus'
      | 'extVirtualLinkInfo'
      | 'extManagedVirtualLinkInfo'
      | 'vnfcResourceInfo'
      | 'vnfVirtualLinkResourceInfo'
      | 'virtualStorageResourceInfo'
      | 'vnfcInfo'
      | 'metadata'
    >
  >;

/**
 * The whole of instantiatedVnfInfo as the stack is now, failed parts included: a VNFC whose server is missing stays, with an
 * empty resourceId, so that it can be healed. Pure; ids are those of stableId, so that reading again changes nothing.
 */
export function buildInstantiatedVnfInfo(input: VnfInfoInput): InfoOfStack {
  const { model, inventory } = input;
  const vnfcs = vnfcsOf(input.vnfInstanceId, model, inventory);
  const links = linksOf(input);
  const cps = connectCps(input, vnfcs, links);
  const external = cps.filter((cp) => cp.external).map(extCpInfo);
  const ofVdus = groupedBy(vnfcs, ({ vdu }) => [vdu.id]);
  const ofVnfcs = groupedBy(cps, ({ vnfc }) => (vnfc === undefined ? [] : [vnfc]));
  const ofLinks = groupedBy(cps, ({ link }) => (link === undefined ? [] : [link]));
  const onLink = (link: AnyLink): ConnectedCp[] => ofLinks.get(link) ?? [];
  const used = new Set(cps.map(({ linkPortId }) => linkPortId));
  return {
    flavourId: input.flavourId,
    vnfState: input.vnfState ?? 'STARTED',
    scaleStatus: scaleStatusOfCounts(input.model, (vduId) => ofVdus.get(vduId)?.length ?? 0, input.scaleLevels),
    ...(external.length === 0 ? {} : { extCpInfo: external }),
    extVirtualLinkInfo: links.external.map((link) => ({
      id: link.id,
      resourceHandle: handle(input, NETWORK, link.resourceId, link.vimConnectionId),
      extLinkPorts: [...linkPorts(input, onLink(link)), ...unusedPorts(input, used, link)],
    })),
    extManagedVirtualLinkInfo: links.managed.map((link) => ({
      id: link.id,
      vnfVirtualLinkDescId: link.vnfVirtualLinkDescId,
      networkResource: handle(input, NETWORK, link.resourceId, link.vimConnectionId),
      vnfLinkPorts: vnfLinkPorts(input, onLink(link)),
    })),
    vnfcResourceInfo: vnfcs.map((vnfc) => vnfcResourceInfo(input, vnfc, ofVnfcs.get(vnfc) ?? [])),
    vnfVirtualLinkResourceInfo: links.internal.map((link) => ({
      id: link.id,
      vnfVirtualLinkDescId: link.vnfVirtualLinkDescId,
      networkResource: handle(input, NETWORK, link.resourceId),
      vnfLinkPorts: vnfLinkPorts(input, onLink(link)),
    })),
    virtualStorageResourceInfo: storages(input),
    vnfcInfo: vnfcs.map(vnfcInfo),
    metadata: { stack_id: stackPath(inventory.stack) },
  };
}

function handle(input: VnfInfoInput, type: string, resourceId: string | undefined, vim = input.vimConnectionId): ResourceHandle {
  return {
    ...(vim === undefined ? {} : { vimConnectionId: vim }),
    resourceId: resourceId ?? '',
    vimLevelResourceType: type,
  };
}

function vnfcResourceInfo(input: VnfInfoInput, vnfc: Vnfc, cps: readonly ConnectedCp[]): VnfcResourceInfo {
  return {
    id: vnfc.id,
    vduId: vnfc.vdu.id,
    computeResource: handle(input, SERVER, vnfc.server.physicalId),
    storageResourceIds: vnfc.volumes.map((volume) => storageId(input, volume.place)),
    vnfcCpInfo: cps.map(vnfcCpInfo),
    metadata: vnfcMetadata(vnfc),
  };
}

/** The names are those that drivers and clients of the reference system look for. */
function vnfcMetadata({ server, vdu, index }: Vnfc): Record<string, string | number> {
  const { member } = server.place;
  const all: Record<string, string | number | undefined> = {
    creation_time: server.createdAt,
    stack_id: stackPath(server.place.stack),
    parent_stack_id: member === undefined ? undefined : stackPath(member.groupStack),
    parent_resource_name: member?.name,
    vdu_idx: index,
    flavor: server.flavorId,
    [`image-${vdu.id}`]: server.imageId,
    zone: server.zone,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string | number] => entry[1] !== undefined));
}

function vnfcCpInfo(cp: ConnectedCp): VnfcCpInfo {
  return {
    id: cp.vnfcCpId,
    cpdId: cp.cp.id,
    ...(cp.external ? { vnfExtCpId: cp.extCpId } : {}),
    cpProtocolInfo: protocolInfo(cp),
    ...(!cp.external && cp.link !== undefined && cp.port !== undefined ? { vnfLinkPortId: cp.linkPortId } : {}),
  };
}

function extCpInfo(cp: ConnectedCp): VnfExtCpInfo {
  return {
    id: cp.extCpId,
    cpdId: cp.cp.id,
    cpProtocolInfo: protocolInfo(cp),
    ...(cp.link === undefined || cp.portId === undefined ? {} : { extLinkPortId: cp.linkPortId }),
    ...(cp.vnfc === undefined ? {} : { associatedVnfcCpId: cp.vnfcCpId }),
  };
}

function protocolInfo({ port, fixedAddresses }: ConnectedCp): CpProtocolInfo[] {
  if (port?.macAddress === undefined) return [{ layerProtocol: 'IP_OVER_ETHERNET' }];
  return [
    {
      layerProtocol: 'IP_OVER_ETHERNET',
      ipOverEthernet: {
        macAddress: port.macAddress,
        ipAddresses: port.fixedIps.map(({ address, subnetId }) => ({
          type: isIPv6(address) ? ('IPV6' as const) : ('IPV4' as const),
          addresses: [address],
          isDynamic: !fixedAddresses.has(address),
          subnetId,
        })),
      },
    },
  ];
}

type AnyLink = Links['external'][number] | Links['internal'][number] | Links['managed'][number];

function linkPorts(input: VnfInfoInput, cpsOnLink: readonly ConnectedCp[]): ExtLinkPortInfo[] {
  return cpsOnLink
    .filter((cp) => cp.portId !== undefined)
    .map((cp) => ({
      id: cp.linkPortId,
      resourceHandle: handle(input, PORT, cp.portId),
      cpInstanceId: cp.external ? cp.extCpId : cp.vnfcCpId,
    }));
}

function vnfLinkPorts(input: VnfInfoInput, cpsOnLink: readonly ConnectedCp[]) {
  return linkPorts(input, cpsOnLink).map((port) => ({ ...port, cpInstanceType: 'VNFC_CP' as const }));
}

/** Ports that the caller made and no CP uses (yet). */
function unusedPorts(input: VnfInfoInput, used: ReadonlySet<string>, link: Links['external'][number]): ExtLinkPortInfo[] {
  return link.extLinkPorts
    .filter((port) => !used.has(port.id))
    .map((port) => ({
      id: port.id,
      resourceHandle: handle(
        input,
        PORT,
        port.resourceHandle.resourceId,
        port.resourceHandle.vimConnectionId ?? input.vimConnectionId,
      ),
    }));
}

function storages(input: VnfInfoInput): VirtualStorageResourceInfo[] {
  const known = new Set(input.model.vdus.flatMap((vdu) => vdu.storageIds));
  return input.inventory.volumes.flatMap((volume) => {
    const described = describedBy(volume.name, known);
    if (described === undefined) return [];
    const storageResource = handle(input, VOLUME, volume.physicalId);
    return [{ id: storageId(input, volume.place), virtualStorageDescId: described.id, storageResource }];
  });
}

const storageId = (input: VnfInfoInput, place: PortItem['place']): string =>
  stableId(input.vnfInstanceId, 'storage', input.inventory.stack, place);

function vnfcInfo({ id, vdu, server }: Vnfc): VnfcInfo {
  // Nova says ACTIVE of a server that runs; paused, suspended and shut off ones are not started.
  const vnfcState = server.serverStatus === 'ACTIVE' ? 'STARTED' : 'STOPPED';
  return { id: `${vdu.id}-${id}`, vduId: vdu.id, vnfcResourceInfoId: id, vnfcState };
}
